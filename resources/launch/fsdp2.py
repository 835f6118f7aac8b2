# SPDX-License-Identifier: Apache-2.0
import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard

PIPELINE, REPLICATE, SHARD, TENSOR = @PP@, @REPLICATE@, @SHARD@, @TP@  # ranks along each axis; their product starts it
CONTEXT = @CP@  # of the ranks of REPLICATE and SHARD, those that divide a sequence
LAYERS = @LAYERS@
MICRO_BATCH = @MICRO_BATCH@  # sequences
MICRO_BATCHES = @MICRO_BATCHES@  # of each replica in a step
SEQUENCE = @SEQUENCE@
RESHARD = @RESHARD@  # ZeRO-3; else parameters stay whole from the forward to the backward pass
RECOMPUTE = @RECOMPUTE@  # whole layers of each stage, from its first on
OPTIMIZER = "@OPTIMIZER@"  # of the plan, which knows no learning rate
ATTENTION = "@ATTENTION@"  # of the plan
OFFLOAD = @OFFLOAD@


def meshes() -> DeviceMesh:
    """Tensor-parallel ranks are the innermost, stages the outermost."""
    return init_device_mesh(
        @DEVICE@,
        (PIPELINE, REPLICATE, SHARD, TENSOR),
        mesh_dim_names=("pp", "replicate", "shard", "tp"),
    )


def build_stage(mesh: DeviceMesh) -> tuple[torch.nn.Module, list[torch.nn.Module]]:
    """The part of the model that this stage of the pipeline has, divided over mesh["tp"], and its layers."""
    raise NotImplementedError("FILL_IN_MODEL")


def shard(model: torch.nn.Module, layers: list[torch.nn.Module], mesh: DeviceMesh) -> FSDPModule:
    options = {
        "mesh": mesh["replicate", "shard"] if REPLICATE > 1 else mesh["shard"],
        "reshard_after_forward": RESHARD,
        "mp_policy": MixedPrecisionPolicy(param_dtype=@PARAM@, reduce_dtype=@REDUCE@),
        "offload_policy": CPUOffloadPolicy(pin_memory=True) if OFFLOAD else OffloadPolicy(),
    }
    recomputed = RECOMPUTE[mesh["pp"].get_local_rank()]
    parts = {id(layer): checkpoint_wrapper(layer) if i < recomputed else layer for i, layer in enumerate(layers)}
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if id(child) in parts:
                setattr(parent, name, parts[id(child)])
    for part in parts.values():
        fully_shard(part, **options)
    return fully_shard(model, **options)


def step(model: FSDPModule, optimizer: torch.optim.Optimizer, batches) -> None:
    """Of a replica without a pipeline: micro-batches one after the other, gradients shared out with the last."""
    for index in range(MICRO_BATCHES):
        model.set_requires_gradient_sync(index + 1 == MICRO_BATCHES)
        (model(next(batches)) / MICRO_BATCHES).backward()
    optimizer.step()
    optimizer.zero_grad()


def main() -> None:
    mesh = meshes()
    stage, layers = build_stage(mesh)
    model = shard(stage, layers, mesh)
    raise NotImplementedError(f"FILL_IN_DATA and FILL_IN_LEARNING_RATE: {OPTIMIZER} of {type(model).__name__}")


if __name__ == "__main__":
    main()
