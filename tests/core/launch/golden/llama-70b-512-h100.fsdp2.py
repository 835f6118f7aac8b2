# PyTorch FSDP2 program of the plan Llama 3 70B on 512 H100.
# 512 accelerators = TP 8 x CP 1 x PP 4 x DP 16.
# To be filled in:
#   build_stage: the model
#   main: the learning rate, and its schedule
#   main: the training data
# What this format does not say as the plan does:
#   ZeRO-1: FSDP2 shards gradients in any case; written as fully_shard.reshard_after_forward False.
#   The stages and their schedule interleaved: they are made by the program, with torch.distributed.pipelining; written as init_device_mesh.pp 4.
#   TP 8: how layers are divided is said by the program, with parallelize_module; written as init_device_mesh.tp 8.

import torch
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, fully_shard

PIPELINE, REPLICATE, SHARD, TENSOR = 4, 1, 16, 8  # ranks along each axis; their product starts it
CONTEXT = 1  # of the ranks of REPLICATE and SHARD, those that divide a sequence
LAYERS = 80
MICRO_BATCH = 1  # sequences
MICRO_BATCHES = 64  # of each replica in a step
SEQUENCE = 8192
RESHARD = False  # ZeRO-3; else parameters stay whole from the forward to the backward pass
RECOMPUTE = False  # whole layers
OFFLOAD = False


def meshes() -> DeviceMesh:
    """Tensor-parallel ranks are the innermost, stages the outermost."""
    return init_device_mesh(
        "cuda",
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
        "mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        "offload_policy": CPUOffloadPolicy(pin_memory=True) if OFFLOAD else OffloadPolicy(),
    }
    if RECOMPUTE:
        of_layers = {id(layer) for layer in layers}
        for parent in list(model.modules()):
            for name, child in list(parent.named_children()):
                if id(child) in of_layers:
                    setattr(parent, name, checkpoint_wrapper(child))
    for layer in layers:
        fully_shard(layer, **options)
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
    raise NotImplementedError(f"FILL_IN_DATA and FILL_IN_LEARNING_RATE: data and optimizer of {type(model).__name__}")


if __name__ == "__main__":
    main()
