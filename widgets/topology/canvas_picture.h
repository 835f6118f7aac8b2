// SPDX-License-Identifier: GPL-3.0-or-later
// The whole canvas as a picture, whatever part of it is in view: in a file, or on the clipboard.
#pragma once

#include "widgets/style/picture_file.h"

namespace stratoplan::widgets {

class TopologyScene;
class TopologyView;

/// All that is on the scene, with nothing selected, as it prints. Refers to the scene.
[[nodiscard]] Picture canvasPicture(TopologyScene& scene);

void copyCanvas(TopologyView& view);
/// Asks for a file; the view tells what came of it.
void exportCanvas(TopologyView& view);

} // namespace stratoplan::widgets
