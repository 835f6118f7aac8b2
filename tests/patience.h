// SPDX-License-Identifier: GPL-3.0-or-later
// How long tests wait for what is still to come. Qt's own five seconds are too few for a sanitizer on a busy machine,
// and a test is not a benchmark.
#pragma once

#include <QTest>

namespace stratoplan::test {

inline constexpr int kPatience = 120000; ///< milliseconds

} // namespace stratoplan::test

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expr) QTRY_VERIFY_WITH_TIMEOUT(expr, stratoplan::test::kPatience)
#define QTRY_VERIFY2(expr, text) QTRY_VERIFY2_WITH_TIMEOUT(expr, text, stratoplan::test::kPatience)
#define QTRY_COMPARE(expr, expected) QTRY_COMPARE_WITH_TIMEOUT(expr, expected, stratoplan::test::kPatience)
