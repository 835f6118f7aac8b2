# SPDX-License-Identifier: Apache-2.0
import torch
from megatron.bridge.models.@MODULE@ import @PROVIDER@
from megatron.bridge.recipes.common import _pretrain_common
from megatron.bridge.training.comm_overlap import CommOverlapConfig
from megatron.bridge.training.config import ConfigContainer
from megatron.bridge.training.mixed_precision import MixedPrecisionConfig
from megatron.core.transformer.enums import AttnBackend


def pretrain_config() -> ConfigContainer:
    cfg = _pretrain_common()
    cfg.model = @PROVIDER@(
@SHAPE@    )
    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=False)
    cfg.mixed_precision = MixedPrecisionConfig()
@SETTINGS@    return cfg


if __name__ == "__main__":
    from megatron.bridge.training.gpt_step import forward_step
    from megatron.bridge.training.pretrain import pretrain

    pretrain(config=pretrain_config(), forward_step_func=forward_step)
