#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linear operators divided over 2^n processes in space and in time, written by Stratoplan.

  python3 FILE                            as many processes as the plan has ranks, by Gloo on this machine
  python3 FILE --scale 16                 the same with sizes divided by 16: for a laptop
  torchrun --nproc_per_node 4  FILE       a GPU for each process, by NCCL, where a node has as many
  python3 FILE --device cuda              on GPUs: by NCCL if each process has one, else they share, by Gloo

checks the output, the input gradient and the weight gradient of each linear against torch.nn.functional.linear, and
times them beside the same linear as Megatron-LM divides it without sequence parallelism: column-parallel (QKV, FFN up)
or row-parallel (attention output, FFN down). That is checked alike. For the comparison each process makes whole
tensors: where they do not fit, give a scale. What takes over half a second is told on standard error.

Exit status: 0, or 1 where a result disagrees, or 2 where what was asked for cannot be run, or 130 after Ctrl+C. Needs
PyTorch 1.13 or newer, nothing else.

As a module it gives `SpatialTemporalLinear`, to build networks of, and `scatter` and `gather` between whole tensors and
the blocks of the ranks. Linears have no bias: add it to the blocks of the output.

The partitions are those of Wang et al., "PrimePar: Efficient Spatial-temporal Tensor Partitioning for Large Transformer
Model Training", ASPLOS 2024. Of O[B,M,K] = I[B,M,N] W[N,K] a sequence of partitions takes the bits of a rank's number
from left to right. A letter B, M, N or K halves that dimension by one bit. Pnxn, n = 2^k, is the primitive P: it takes
2k bits, cuts M, N and K into n slices each and works in n steps; blocks move to neighbours meanwhile, and none is held
twice.
"""
import argparse
import contextlib
import datetime
import math
import multiprocessing
import os
import signal
import statistics
import sys
import threading
import time
from typing import NamedTuple, Optional

if __name__ == "__main__":
    # Ends this process at once, while it loads PyTorch or, started by torchrun, waits for others; start() knows more.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing
except ImportError as missing:
    if __name__ != "__main__":
        raise
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        sys.exit(0)
    print(f"This program needs PyTorch 1.13 or newer: {missing}", file=sys.stderr)
    sys.exit(2)


class Linear(NamedTuple):
    """A whole linear operator and how it is divided."""
    name: str
    sequence: str  # of partitions: "K,P2x2"; "-" for none
    batch: int  # B: sequences of a micro-batch
    tokens: int  # M: of each sequence
    in_features: int  # N
    out_features: int  # K
    megatron: str  # how Megatron-LM divides it: "column"-parallel, along K, or "row"-parallel, along N

    @property
    def sizes(self):
        """B, M, N and K, in elements."""
        return self.batch, self.tokens, self.in_features, self.out_features


# plan:begin
TITLE = "Two linears of a feed-forward block"
BITS = 2  # of a rank's number
LINEARS = (
    Linear("up", "P2x2", batch=2, tokens=1024, in_features=1024, out_features=4096, megatron="column"),
    Linear("down", "N,K", batch=2, tokens=1024, in_features=4096, out_features=1024, megatron="row"),
)
# plan:end

# --- who works on what, and when: the rule of the paper ---------------------------------------------------------------

FORWARD, BACKWARD, GRADIENT = "forward", "backward", "gradient"  # O = I W; dI = dO W^T; dW = I^T dO
INPUT, WEIGHT, OUTPUT = "input", "weight", "output"  # gradients are divided like the tensor they are of
RESULT = {FORWARD: OUTPUT, BACKWARD: INPUT, GRADIENT: WEIGHT}
AXES = {INPUT: "BMN", WEIGHT: "KN", OUTPUT: "BMK"}  # in the order of PyTorch, whose weights are [out, in]
MEGATRON = {"column": "K", "row": "N"}  # the dimension that is divided over all ranks
HOME = (FORWARD, 0)  # a moment is a phase and a step; between passes blocks lie as the forward pass begins


class Problem(Exception):
    """Something that a person can mend; told without a traceback."""


class Part(NamedTuple):
    """One partition of a sequence."""
    letter: str  # of the dimension that it halves, or P
    order: int  # k of the primitive over 2^k x 2^k ranks, else 0
    lowest: int  # of its bits in a rank's number
    stride: int  # steps until its own step advances: of several primitives the first is the outermost loop

    @property
    def side(self):
        return 1 << self.order

    def row_and_column(self, rank):
        """Of the primitive: the first bits of each pair, and the second ones."""
        row = column = 0
        for pair in reversed(range(self.order)):
            bits = rank >> (self.lowest + 2 * pair)
            row, column = 2 * row + (bits >> 1 & 1), 2 * column + (bits & 1)
        return row, column

    def primitive(self, dimension, rank, phase, step, last):
        """Which of its slices the primitive works on (PrimePar, table of the dimension slice indices)."""
        r, c = self.row_and_column(rank)
        t = step // self.stride % self.side
        d = 1 if last else 0
        rule = {
            FORWARD: {"M": r, "N": r + c + t, "K": c},
            BACKWARD: {"M": r, "N": r + c - 1, "K": c + t},
            GRADIENT: {"M": r + t, "N": r + c - 1 + d, "K": c - 1 + d},
        }
        return rule[phase][dimension] % self.side


def parts_of(sequence):
    """Letters and orders of a sequence's text."""
    parts = []
    for text in [] if sequence == "-" else sequence.split(","):
        orders = [k for k in range(1, 5) if text == f"P{1 << k}x{1 << k}"]
        if not orders and text not in ("B", "M", "N", "K"):
            raise Problem(f'"{text}" in "{sequence}" is none of B, M, N, K, P2x2, P4x4, P8x8, P16x16')
        parts.append(("P", orders[0]) if orders else (text, 0))
    return parts


class Partition:
    """Which slices of a linear each rank works on at each step of each phase, and who sends it what comes next."""

    def __init__(self, sequence):
        parts = parts_of(sequence)
        self.sequence = sequence
        self.bits = sum(2 * order or 1 for _, order in parts)
        self.ranks = 1 << self.bits
        self.steps = 1 << sum(order for _, order in parts)  # of each phase
        self.parts = []
        self._senders = {}
        lowest, stride = self.bits, self.steps
        for letter, order in parts:
            lowest -= 2 * order or 1
            stride >>= order
            self.parts.append(Part(letter, order, lowest, stride))

    def slices(self, dimension):
        """Slices that a dimension is cut into."""
        count = 1
        for part in self.parts:
            count *= 2 if part.letter == dimension else part.side if dimension != "B" else 1
        return count

    def obstacle(self, linear):
        """Why the whole operator cannot be cut so; empty where it can."""
        for dimension, size in zip("BMNK", linear.sizes):
            count = self.slices(dimension)
            if size < 1 or size % count:
                return f"{dimension} = {size} cannot be cut into {count} slices"
        return ""

    def check_sizes(self, linear):
        """Whether the whole operator can be cut so."""
        obstacle = self.obstacle(linear)
        if obstacle:
            raise Problem(f"{linear.name}: {obstacle}.")

    def shapes(self, linear):
        """Of a rank's blocks of the input, [B, M, N], the weight, [K, N], and the output, [B, M, K]: each dimension is
        divided by its slices."""
        self.check_sizes(linear)
        b, m, n, k = (size // self.slices(dimension) for dimension, size in zip("BMNK", linear.sizes))
        return {INPUT: (b, m, n), WEIGHT: (k, n), OUTPUT: (b, m, k)}

    def slice(self, dimension, rank, phase, step):
        """The number of the slice: a bit appends itself, the primitive what its rule says."""
        number = 0
        for part in self.parts:
            if part.letter == dimension:
                number = 2 * number + (rank >> part.lowest & 1)
            elif part.letter == "P" and dimension != "B":
                rule = part.primitive(dimension, rank, phase, step, last=step == self.steps - 1)
                number = part.side * number + rule
        return number

    def block(self, tensor, rank, moment):
        """The slices, axis by axis, of the block of a tensor that a rank has, or adds to."""
        return tuple(self.slice(dimension, rank, *moment) for dimension in AXES[tensor])

    def copied_bits(self, tensor):
        """The bits, as a mask, whose ranks hold the same block: they halve a dimension that the tensor has not."""
        return sum(1 << part.lowest for part in self.parts if part.letter not in AXES[tensor] + "P")

    def summed_bits(self, phase):
        """The bits whose ranks add to the same block of what the phase makes: the ranks that hold copies of it."""
        return self.copied_bits(RESULT[phase])

    def senders(self, tensor, now, then):
        """Of each rank who has now what it has at the other moment. Copies come from who shares the copied bits."""
        if (tensor, now, then) not in self._senders:
            copied = self.copied_bits(tensor)
            holders = {(self.block(tensor, rank, now), rank & copied): rank for rank in range(self.ranks)}
            self._senders[tensor, now, then] = [
                holders[self.block(tensor, rank, then), rank & copied] for rank in range(self.ranks)]
        return self._senders[tensor, now, then]

    def route(self, tensor, rank, now, then):
        """Who sends to the rank, and whom it sends to; None where its block stays."""
        senders = self.senders(tensor, now, then)
        return None if senders[rank] == rank else (senders[rank], senders.index(rank))


# --- blocks and whole tensors -----------------------------------------------------------------------------------------


def extents(partition, tensor, shape, rank, moment):
    """(start, size) of a rank's block along each axis of a whole tensor of that shape."""
    sizes = [length // partition.slices(dimension) for length, dimension in zip(shape, AXES[tensor])]
    return [(number * size, size) for number, size in zip(partition.block(tensor, rank, moment), sizes)]


def scatter(whole, partition, tensor, rank, moment=HOME):
    """A rank's block of a whole tensor: of an input [B, M, N], a weight [K, N] or an output [B, M, K]."""
    block = whole
    for axis, (start, size) in enumerate(extents(partition, tensor, whole.shape, rank, moment)):
        block = block.narrow(axis, start, size)
    return block.clone(memory_format=torch.contiguous_format)


def gather(block, partition, tensor, moment=HOME):
    """The whole tensor, on every rank, of the blocks that all ranks have: the inverse of scatter. All must call it."""
    blocks = [torch.empty_like(block, memory_format=torch.contiguous_format) for _ in range(partition.ranks)]
    # As bytes: not every Gloo knows every kind of number.
    dist.all_gather([part.view(torch.uint8) for part in blocks], block.contiguous().view(torch.uint8))
    shape = [length * partition.slices(dimension) for length, dimension in zip(block.shape, AXES[tensor])]
    whole = block.new_empty(shape)
    for rank, part in enumerate(blocks):
        target = whole
        for axis, (start, size) in enumerate(extents(partition, tensor, shape, rank, moment)):
            target = target.narrow(axis, start, size)
        target.copy_(part)
    return whole


# --- what the ranks tell each other -----------------------------------------------------------------------------------


class StagedTransfers:
    """Transfers between GPUs by Gloo, which sends from host memory alone: through pinned memory, on a stream of their
    own. Those that receive begin at once. Those that send begin in wait(), once their copies are there: the products
    that were asked for in between run meanwhile."""

    def __init__(self, operations, stream):
        self._stream = stream
        self._arrivals, self._departures, self._works = [], [], []
        with torch.cuda.stream(stream):
            for operation in operations:
                host = torch.empty(operation.tensor.shape, dtype=operation.tensor.dtype, pin_memory=True)
                if operation.op is dist.isend:
                    host.copy_(operation.tensor, non_blocking=True)
                    self._departures.append((host, operation))
                else:
                    self._works.append(dist.irecv(host, operation.peer, tag=operation.tag))
                    self._arrivals.append((host, operation.tensor))
            self._copied = stream.record_event()

    def wait(self):
        self._copied.synchronize()
        self._works += [dist.isend(host, operation.peer, tag=operation.tag) for host, operation in self._departures]
        for work in self._works:
            work.wait()
        with torch.cuda.stream(self._stream):
            for host, tensor in self._arrivals:
                tensor.copy_(host, non_blocking=True)
        torch.cuda.current_stream(self._stream.device).wait_stream(self._stream)


class Ranks:
    """This process among all of the default group, which divide the linears."""

    def __init__(self, device):
        self.rank, self.size, self.device = dist.get_rank(), dist.get_world_size(), device
        self.gloo = dist.get_backend() == "gloo"
        self._transfers = torch.cuda.Stream(device) if device.type == "cuda" else None
        self._groups = {}
        # By NCCL a group may not begin with transfers among some of its ranks.
        dist.all_reduce(torch.zeros(1, device=device))

    def make_group(self, mask):
        """The processes whose numbers differ from this one's in the bits of the mask alone. Each group is made once;
        every process makes all of them, in the same order."""
        if mask == 0 or mask in self._groups:
            return
        if mask == self.size - 1:
            self._groups[mask] = dist.group.WORLD
            return
        for first in range(self.size):
            if first & mask == 0:
                members = [rank for rank in range(self.size) if rank & ~mask == first]
                group = dist.new_group(members)
                if self.rank in members:
                    self._groups[mask] = group

    def sum_up(self, tensor, mask):
        """All-reduces a sum over the ranks that differ in these bits."""
        if mask != 0:
            self.all_reduce(tensor, self._groups[mask])

    def all_reduce(self, tensor, group=None):
        """Makes a tensor the sum of those of all ranks of a group, or of all."""
        self.start_all_reduce(tensor, group)()

    def start_all_reduce(self, tensor, group=None):
        """Starts the same, which runs beside what is asked of the device next, and returns what to call to end it."""
        if not self.gloo or tensor.dtype != torch.bfloat16:
            return dist.all_reduce(tensor, group=group, async_op=True).wait
        wide = tensor.float()  # not every Gloo adds numbers of 16 bits
        work = dist.all_reduce(wide, group=group, async_op=True)

        def end():
            work.wait()
            tensor.copy_(wide)
        return end

    def start(self, operations):
        """Starts transfers, on a stream of their own where there is CUDA, and returns what to wait for.

        They begin once all that was asked of the device before is done, and run beside what is asked of it next."""
        if not operations:
            return []
        if self._transfers is None:
            return dist.batch_isend_irecv(operations)
        self._transfers.wait_stream(torch.cuda.current_stream(self.device))
        if self.gloo:
            return [StagedTransfers(operations, self._transfers)]
        with torch.cuda.stream(self._transfers):
            return dist.batch_isend_irecv(operations)


class Block:
    """A rank's block of a tensor at a moment, and the second buffer that the next one arrives in."""

    def __init__(self, tensor, data, moment, borrowed=False):
        self.tensor, self.data, self.moment = tensor, data, moment
        self._borrowed = borrowed  # the first buffer is somebody else's, and stays as it is
        self._spare = None
        self._arriving = None

    def leave(self, route, tag):
        """The transfers of a move. What moves at once has unlike tags, and stands in the same order on all ranks."""
        source, destination = route
        fits = self._spare is not None and self._spare.dtype == self.data.dtype
        self._arriving = self._spare if fits and self._spare.device == self.data.device else torch.empty_like(self.data)
        return [dist.P2POp(dist.isend, self.data, destination, tag=tag),
                dist.P2POp(dist.irecv, self._arriving, source, tag=tag)]

    def arrive(self):
        self._spare = None if self._borrowed else self.data
        self.data, self._arriving, self._borrowed = self._arriving, None, False


# --- the operator -----------------------------------------------------------------------------------------------------


def flat(block):
    """[.., columns] as a matrix."""
    return block.reshape(-1, block.shape[-1])


def factors(phase, left, right):
    """Two matrices whose product is what a step adds to the result: of an input and a weight, of an output gradient and
    a weight, of an input and an output gradient. Weights are [out, in]."""
    if phase == FORWARD:
        return flat(left), right.t()
    if phase == BACKWARD:
        return flat(left), right
    return flat(right).t(), flat(left)


def starting_weight(linear, partition, ranks, dtype):
    """A rank's block of a random weight, [K, N] each divided by its slices: the same wherever the same block is."""
    number = 0
    for dimension in AXES[WEIGHT]:
        number = number * partition.slices(dimension) + partition.slice(dimension, ranks.rank, *HOME)
    bound = linear.in_features ** -0.5
    block = torch.empty(partition.shapes(linear)[WEIGHT], dtype=dtype)
    block.uniform_(-bound, bound, generator=torch.Generator().manual_seed(number))
    return torch.nn.Parameter(block.to(ranks.device))


class SpatialTemporalFunction(torch.autograd.Function):
    """The three phases as autograd calls them."""

    @staticmethod
    def forward(ctx, block, weight, module, differentiated):
        output, last_input = module.run_forward(block, differentiated)
        ctx.module = module
        ctx.save_for_backward(last_input)
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        wants_input, wants_weight = ctx.needs_input_grad[:2]
        return (*ctx.module.run_backward(ctx.saved_tensors[0], gradient, wants_input, wants_weight), None, None)


class SpatialTemporalLinear(torch.nn.Module):
    """A linear without bias, divided by a sequence of partitions (PrimePar, ASPLOS 2024).

    Takes a rank's block of the input, [B, M, N] each divided by its slices, and gives its block of the output,
    [B, M, K] likewise: `scatter` and `gather` say which. The weight is a block of [K, N]. Gradients lie as what they
    are of. Ranks that hold copies of a block hold the same numbers, and of gradients the whole sum.

    Each step first starts the transfers of what the next step works on, then multiplies, then waits, so that transfers
    and products overlap. Each block that moves has two buffers. The weight moves on in the forward pass and in the
    backward pass, which takes it back: then the next forward pass, or an optimiser, finds it where it was. Between the
    two it is another block of the weight; `bring_home` fetches it. Without gradients the forward pass takes it back
    itself, and where several passes forward come before those backward it is fetched when it is needed, by a move that
    waits.

    All ranks have to make their modules, and to call them, in the same order.
    """

    def __init__(self, linear, ranks, dtype=torch.float32):
        super().__init__()
        self.name = linear.sequence
        self.partition = partition = Partition(linear.sequence)
        self.ranks = ranks
        if partition.ranks != ranks.size:
            raise Problem(f"{linear.name}: {linear.sequence} is for {partition.ranks} processes, here are {ranks.size}")
        self.shapes = partition.shapes(linear)
        for phase in (FORWARD, BACKWARD, GRADIENT):
            ranks.make_group(partition.summed_bits(phase))
        self.weight = starting_weight(linear, partition, ranks, dtype)
        self._moving = Block(WEIGHT, self.weight.data, HOME)

    def load(self, whole):
        """Takes this rank's block of a whole weight [K, N]."""
        block = scatter(whole, self.partition, WEIGHT, self.ranks.rank, self._moving.moment)
        self.weight.data.copy_(block)

    def bring_home(self):
        """Has the weight where the forward pass begins, as between passes. All ranks must call it."""
        self._move([(self._held_weight(), HOME)])
        self._hold(self._moving)

    def forward(self, block):
        if tuple(block.shape) != self.shapes[INPUT]:
            raise ValueError(f"the block of the input is {tuple(block.shape)}, not {self.shapes[INPUT]}")
        differentiated = torch.is_grad_enabled() and (block.requires_grad or self.weight.requires_grad)
        return SpatialTemporalFunction.apply(block, self.weight, self, differentiated)

    def run_forward(self, data, differentiated):
        """The block of the output, and that of the input which the last step worked on."""
        block, weight = Block(INPUT, data.contiguous(), HOME, borrowed=True), self._held_weight()
        output = self._phase(FORWARD, block, weight, last=() if differentiated else [(weight, HOME)])
        self._hold(weight)
        return output.data, block.data

    def run_backward(self, data, gradient, wants_input, wants_weight):
        """Gradients of the blocks that the forward pass was given; None for what nobody wants."""
        end = (FORWARD, self.partition.steps - 1)
        block = Block(INPUT, data, end, borrowed=True)
        gradient = Block(OUTPUT, gradient.contiguous(), end, borrowed=True)
        weight = self._held_weight()
        input_gradient = weight_gradient = None
        homewards = [(weight, HOME)]
        if wants_input:
            input_gradient = self._phase(BACKWARD, gradient, weight, last=[(weight, HOME)])
            # The paper leaves it where the last step of the forward pass had the input. Autograd wants it where the
            # input came from.
            homewards.append((input_gradient, HOME))
        if wants_weight:
            weight_gradient = self._phase(GRADIENT, block, gradient, first=homewards)
        else:
            self._move(homewards)
        self._hold(weight)
        return tuple(result and result.data for result in (input_gradient, weight_gradient))

    def _phase(self, phase, left, right, first=(), last=()):
        """All steps of a phase: the block of its result. Beside the products of the first and of the last step the
        blocks of `first` and `last` move to where those say."""
        self._move([(left, (phase, 0)), (right, (phase, 0))])  # nothing, unless a phase was left out before
        total = Block(RESULT[phase], None, (phase, 0))
        end = self.partition.steps - 1
        for step in range(end + 1):
            # A sum follows during the step whose product is added to it.
            moves = [(total, (phase, step))] if step > 0 else list(first)
            if step < end:
                moves += [(left, (phase, step + 1)), (right, (phase, step + 1))]
            else:
                moves += last
            x, y = factors(phase, left.data, right.data)
            works, moving = self._start(moves)
            if total.data is None or total in moving:
                product = torch.mm(x, y)
            else:
                product = flat(total.data).addmm_(x, y)
            self._finish(works, moving)
            if total in moving:
                total.data += product.view_as(total.data)
            else:
                total.data = product.view(self.shapes[total.tensor])
        self.ranks.sum_up(total.data, self.partition.summed_bits(phase))
        return total

    def _start(self, moves):
        """Starts moves of blocks to other moments: what to wait for, and the blocks of this rank that move."""
        operations, moving = [], []
        for tag, (block, then) in enumerate(moves):
            route = self.partition.route(block.tensor, self.ranks.rank, block.moment, then)
            block.moment = then
            if route is not None:
                operations += block.leave(route, tag)
                moving.append(block)
        return self.ranks.start(operations), moving

    @staticmethod
    def _finish(works, moving):
        for work in works:
            work.wait()  # by CUDA: what is asked of this stream from now on waits
        for block in moving:
            block.arrive()

    def _move(self, moves):
        self._finish(*self._start(moves))

    def _held_weight(self):
        self._moving.data = self.weight.data  # an optimiser, or .to(), may have given it another
        return self._moving

    def _hold(self, block):
        self.weight.data = block.data


# --- the same as Megatron-LM divides it -------------------------------------------------------------------------------


def megatron_partition(linear, size):
    """As a partition: all bits of a rank's number halve K where it is column-parallel, N where it is row-parallel."""
    return Partition(",".join(MEGATRON[linear.megatron] * (size.bit_length() - 1)) or "-")


def megatron_name(linear):
    return f"Megatron {linear.megatron}"


class MegatronFunction(torch.autograd.Function):
    """Both passes of MegatronLinear, with what ranks tell each other in them."""

    @staticmethod
    def forward(ctx, block, weight, ranks, column):
        ctx.save_for_backward(block, weight)
        ctx.ranks, ctx.column = ranks, column
        output = torch.matmul(block, weight.t())
        if not column:
            ranks.all_reduce(output)
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient):
        block, weight = ctx.saved_tensors
        input_gradient = torch.matmul(gradient, weight)
        # As in Megatron-LM the sum runs beside the product of the weight gradient.
        end = ctx.ranks.start_all_reduce(input_gradient) if ctx.column else None
        weight_gradient = torch.mm(flat(gradient).t(), flat(block))
        if end is not None:
            end()
        return input_gradient, weight_gradient, None, None


class MegatronLinear(torch.nn.Module):
    """A linear without bias, divided over p ranks as Megatron-LM divides it without sequence parallelism (Shoeybi et
    al., arXiv 1909.08053).

    Column-parallel: of the whole input [B, M, N] and a block [K/p, N] of the weight it makes a block [B, M, K/p] of the
    output. Backward it all-reduces the input gradient, forward nothing.

    Row-parallel: of a block [B, M, N/p] of the input and a block [K, N/p] of the weight it makes the whole output
    [B, M, K], which it all-reduces forward; backward nothing.
    """

    def __init__(self, linear, ranks, dtype=torch.float32):
        super().__init__()
        self.name = megatron_name(linear)
        self.partition = megatron_partition(linear, ranks.size)
        self.ranks, self.column = ranks, linear.megatron == "column"
        self.shapes = self.partition.shapes(linear)
        self.weight = starting_weight(linear, self.partition, ranks, dtype)

    def load(self, whole):
        """Takes this rank's block of a whole weight [K, N]."""
        self.weight.data.copy_(scatter(whole, self.partition, WEIGHT, self.ranks.rank))

    def forward(self, block):
        return MegatronFunction.apply(block, self.weight, self.ranks, self.column)


# --- what a person who waits is told ----------------------------------------------------------------------------------


class Progress:
    """Says on standard error what is being done, if that takes a while."""

    FIRST, NEXT = 0.5, 10  # seconds of a stage until it is said, and until it is said again

    def __init__(self, speaks):
        self.speaks = speaks  # one process of all
        self.subject = ""  # of the stages that follow
        self.detail = ""  # of the stage, which may change meanwhile

    @contextlib.contextmanager
    def stage(self, text):
        """What is done within a `with`."""
        self.detail = ""
        done = threading.Event()
        if self.speaks:
            threading.Thread(target=self._say, args=(self.subject + text, done), daemon=True).start()
        try:
            yield
        finally:
            done.set()

    def _say(self, text, done):
        start, pause = time.perf_counter(), self.FIRST
        while not done.wait(pause):
            elapsed = f", {duration_text(time.perf_counter() - start)} so far" if pause == self.NEXT else ""
            say(f"{text}{self.detail}{elapsed}")
            pause = self.NEXT


def say(text):
    print(text, file=sys.stderr, flush=True)


def duration_text(seconds):
    """In the unit that suits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


def synchronize(device):
    """Waits for what a device was asked to do."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def product_rate(dtype, device):
    """FLOP/s of this process: of the first square product that takes long enough to be measured."""
    for bits in range(7, 14):
        square = torch.ones(1 << bits, 1 << bits, dtype=dtype, device=device)
        for _ in range(2):  # the first one may have libraries to load
            start = time.perf_counter()
            torch.mm(square, square)
            synchronize(device)
            elapsed = time.perf_counter() - start
        if elapsed > 0.03:
            break
    return 2 * 8 ** bits / elapsed


def flops(linear):
    """Of one product of the whole linear."""
    return 2 * math.prod(linear.sizes)


def product_seconds(linears, ranks, options):
    """About how long all products that are divided take, of the checks and of the passes that are timed. What ranks
    send each other comes on top. All ranks must call it: they work at once, and may share a machine."""
    rate = torch.tensor(product_rate(getattr(torch, options.dtype), ranks.device), dtype=torch.float64,
                        device=ranks.device)
    dist.all_reduce(rate, op=dist.ReduceOp.MIN)
    products = CHECKED_PRODUCTS + (3 * (WARM_UP + options.repeats) if options.repeats else 0)
    divided = sum(flops(linear) * (1 if megatron_obstacle(linear, ranks.size) else 2) for linear in linears)
    return divided * products / ranks.size / rate.item()


def say_how_long(linears, ranks, options, progress):
    """Says before a long wait how long that is."""
    with progress.stage("measuring how fast matrix products are"):
        seconds = product_seconds(linears, ranks, options)
        if ranks.rank != 0:
            return
        waited = 1 / product_rate(torch.float64, ranks.device)
        if needs_own_errors(options):
            waited += 1 / product_rate(getattr(torch, options.dtype), ranks.device)
    references = [3 * flops(linear) * waited for linear in linears]  # which the other ranks wait for
    seconds += sum(references)
    if seconds > 10:
        say(f"The matrix products take about {duration_text(seconds)}, what processes send each other comes on top; "
            "--scale divides sizes, --repeats 0 leaves the timing out.")
    if max(references) > options.timeout / 2:
        say(f"For torch.nn.functional.linear processes wait about {duration_text(max(references))} at a time, and give "
            f"up after {duration_text(options.timeout)}: --timeout lets them wait longer.")


# --- the checks -------------------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """What a linear, divided in one way, has shown."""
    name: str  # of the way: "K,P2x2" or "Megatron column"
    errors: tuple = ()  # relative, as in ERRORS
    seconds: Optional[float] = None  # of a pass forward and backward; None: not timed
    limits: tuple = ()  # the largest errors that are allowed, as in ERRORS
    obstacle: str = ""  # why it cannot be divided so

    def wrong(self):
        """Of each error that is not allowed: what it is of, the error and its limit."""
        return [checked for checked in zip(ERRORS, self.errors, self.limits) if not checked[1] <= checked[2]]


ERRORS = ("output", "input gradient", "weight gradient", "weight after a pass")


def megatron_obstacle(linear, size):
    """Why Megatron-LM cannot divide a linear over so many ranks; empty where it can."""
    return megatron_partition(linear, size).obstacle(linear)


def scaled(linear, scale):
    """With tokens and features divided by the scale, to what the sequence divides, and Megatron-LM where it divides the
    whole: a slice has one at least."""
    if scale == 1:
        return linear
    partition = Partition(linear.sequence)
    partitions = [partition]
    if not megatron_obstacle(linear, partition.ranks):
        partitions.append(megatron_partition(linear, partition.ranks))

    def divided(size, dimension):
        slices = max(way.slices(dimension) for way in partitions)  # powers of two: each divides the largest
        return max(1, size // (scale * slices)) * slices
    return linear._replace(
        tokens=divided(linear.tokens, "M"), in_features=divided(linear.in_features, "N"),
        out_features=divided(linear.out_features, "K"))


def whole_tensors(linear, dtype, device):
    """Input [B, M, N], weight [K, N] and output gradient [B, M, K] of a whole linear: the same on every rank."""
    generator = torch.Generator().manual_seed(17)
    b, m, n, k = linear.sizes
    return [torch.randn(*shape, dtype=dtype, generator=generator).to(device)
            for shape in ((b, m, n), (k, n), (b, m, k))]


def undivided(block, weight, gradient):
    """What ERRORS compares, of torch.nn.functional.linear in the type of the tensors."""
    block, weight = block.detach().requires_grad_(), weight.detach().requires_grad_()
    output = torch.nn.functional.linear(block, weight)
    output.backward(gradient)
    return output.detach(), block.grad, weight.grad, weight.detach()


def error_of(found, expected):
    """The largest difference over the largest value."""
    error = ((found.double() - expected).abs().max() / expected.abs().max()).item()
    return error if error == error else float("inf")


def worst_of_ranks(errors, ranks):
    """Of each error the largest of all ranks, on every rank."""
    worst = torch.tensor(errors, dtype=torch.float64, device=ranks.device)
    dist.all_reduce(worst, op=dist.ReduceOp.MAX)
    return tuple(worst.tolist())


def needs_own_errors(options):
    """Whether limits depend on them: those in double precision are none."""
    return options.tolerance is None and options.dtype != "float64"


def undivided_errors(tensors, expected, ranks):
    """Relative errors of torch.nn.functional.linear itself in the type of the tensors, as in ERRORS. `expected` is the
    reference, on rank 0."""
    own = [0.0] * len(ERRORS)
    if ranks.rank == 0:
        own = [error_of(found, right) for found, right in zip(undivided(*tensors), expected)]
    return worst_of_ranks(own, ranks)


# bfloat16 has 8 bits: each of a few roundings, of steps and of sums, may err by 2^-9.
TOLERANCES = {"float32": 1e-5, "float64": 1e-5, "bfloat16": 2e-2}
OWN_FACTOR = 2  # processors without products of bfloat16 add up in it: there, the undivided linear errs by more
LARGEST_LIMIT = 0.5  # of results that are zero the error is 1


def limits(own, options):
    """The largest errors that are allowed, as in ERRORS, where the undivided linear has errors of its `own`."""
    if options.tolerance is not None:
        return (options.tolerance,) * len(own)
    return tuple(max(TOLERANCES[options.dtype], min(OWN_FACTOR * error, LARGEST_LIMIT)) for error in own)


def limit_text(limit):
    """2e-02, 3.5e-02"""
    return f"{limit:.1e}".replace(".0e", "e")


CHECKED_PRODUCTS = 10  # of errors(): one pass forward, then three forward and backward, of three products each


def errors(module, tensors, expected):
    """Relative errors, the largest of all ranks, as in ERRORS. `expected` is the reference, on rank 0."""
    ranks, partition = module.ranks, module.partition
    module.load(tensors[1])
    end = (FORWARD, partition.steps - 1)
    block, gradient = (scatter(whole, partition, tensor, ranks.rank, moment) for whole, tensor, moment in
                       ((tensors[0], INPUT, HOME), (tensors[2], OUTPUT, end)))
    # Each pass finds the weight where the one before has left it: without gradients, with them, two at once.
    with torch.no_grad():
        module(block)
    for passes in (1, 2):
        block = block.detach().requires_grad_()
        module.weight.grad = None
        outputs = [module(block) for _ in range(passes)]
        for output in outputs:
            output.backward(gradient / passes)
    kept = ((output.detach(), OUTPUT, end), (block.grad, INPUT, HOME), (module.weight.grad, WEIGHT, HOME),
            (module.weight.detach(), WEIGHT, HOME))
    found = [gather(data, partition, tensor, moment) for data, tensor, moment in kept]
    # Each rank's block is that of the whole, copies among them; and the whole is right.
    result = [error_of(data, scatter(whole.double(), partition, tensor, ranks.rank, moment))
              for whole, (data, tensor, moment) in zip(found, kept)]
    if ranks.rank == 0:
        result = [max(error, error_of(whole, right)) for error, whole, right in zip(result, found, expected)]
    return worst_of_ranks(result, ranks)


def check_errors(linear, modules, options, progress):
    """Of each module of a linear: its errors; and those of the undivided linear."""
    ranks = modules[0].ranks
    with progress.stage("making whole tensors"):
        tensors = whole_tensors(linear, modules[0].weight.dtype, ranks.device)
    with progress.stage("torch.nn.functional.linear in double precision, to compare with"):
        expected = undivided(*(whole.double() for whole in tensors)) if ranks.rank == 0 else None
    own = (0.0,) * len(ERRORS)
    if needs_own_errors(options):
        with progress.stage(f"torch.nn.functional.linear in {options.dtype}, for how far it errs"):
            own = undivided_errors(tensors, expected, ranks)
    found = []
    for module in modules:
        with progress.stage(f"checking {module.name}"):
            found.append(errors(module, tensors, expected))
    return found, own


WARM_UP = 2  # passes that are not timed


def random_block(shape, dtype, device):
    return torch.randn(*shape, dtype=dtype).to(device)


def pass_seconds(module, repeats, progress):
    """The median time of a pass forward and backward, of the rank that takes longest."""
    ranks, dtype, times = module.ranks, module.weight.dtype, []
    block = random_block(module.shapes[INPUT], dtype, ranks.device).requires_grad_()
    gradient = random_block(module.shapes[OUTPUT], dtype, ranks.device)
    for number in range(WARM_UP + repeats):
        progress.detail = f": pass {number + 1} of {WARM_UP + repeats}"
        dist.barrier()
        start = time.perf_counter()
        module.weight.grad = block.grad = None
        module(block).backward(gradient)
        synchronize(ranks.device)
        times.append(time.perf_counter() - start)
    times = torch.tensor(times[WARM_UP:], dtype=torch.float64, device=ranks.device)
    dist.all_reduce(times, op=dist.ReduceOp.MAX)
    return statistics.median(times.tolist())


def check_times(modules, repeats, progress):
    """Of each module of a linear: the seconds of a pass, None if no passes are wanted."""
    found = []
    for module in modules:
        with progress.stage(f"timing {module.name}"):
            found.append(pass_seconds(module, repeats, progress) if repeats else None)
    return found


def check(linear, ranks, options, progress):
    """Results of a linear: as the plan divides it, and as Megatron-LM does."""
    dtype = getattr(torch, options.dtype)
    modules = [SpatialTemporalLinear(linear, ranks, dtype)]
    obstacle = megatron_obstacle(linear, ranks.size)
    if not obstacle:
        modules.append(MegatronLinear(linear, ranks, dtype))
    # Whole tensors are gone when passes are timed.
    worst, own = check_errors(linear, modules, options, progress)
    times = check_times(modules, options.repeats, progress)
    allowed = limits(own, options)
    results = [Result(module.name, *shown, allowed) for module, *shown in zip(modules, worst, times)]
    return results if not obstacle else results + [Result(megatron_name(linear), obstacle=obstacle)]


# --- what is printed --------------------------------------------------------------------------------------------------


def device_text(device):
    """What the processes of a machine work on."""
    if device.type == "cpu":
        return "CPUs"
    count = torch.cuda.device_count()
    return f"{count} {'GPU' if count == 1 else 'GPUs'} of the kind {torch.cuda.get_device_name(device)}"


def print_title(linears, ranks, options):
    print(f"{TITLE}: linears: {len(linears)}, processes: {ranks.size} by {'Gloo' if ranks.gloo else 'NCCL'} on "
          f"{device_text(ranks.device)}, {options.dtype}\n"
          "Beside each the same as Megatron-LM divides it, without sequence parallelism: column-parallel with an "
          "all-reduce of the input gradient, row-parallel with one of the output.", flush=True)


def milliseconds(seconds):
    """With three significant figures."""
    return f"{float(f'{seconds * 1e3:.3g}'):.10g}"


def errors_text(result):
    """Of the three results. The weight after a pass has none, or print_wrong tells it."""
    return ", ".join(f"{name} {error:.1e}" for name, error in zip(ERRORS[:3], result.errors))


def print_results(linear, plan, megatron):
    """A line of a linear."""
    b, m, n, k = linear.sizes
    text = f"{linear.name}: {plan.name}, {b} x {m} x {n} -> {k}: errors: {errors_text(plan)}"
    if plan.seconds is not None:
        text += f"; forward + backward {milliseconds(plan.seconds)} ms"
    if megatron.obstacle:
        text += f"; no {megatron.name}: {megatron.obstacle}"
    else:
        text += f", {megatron.name} {milliseconds(megatron.seconds)} ms" if megatron.seconds is not None else ""
        text += f"; {megatron.name} errors: {errors_text(megatron)}"
    print(text, flush=True)


def print_wrong(linear, results):
    """Each result of a linear that differs from the reference by more than is allowed."""
    for result in results:
        for name, error, limit in result.wrong():
            say(f"{linear.name}: {result.name}: the {name} differs from that of torch.nn.functional.linear by "
                f"{error:.1e} of its largest value, {limit_text(limit)} is allowed")


def sum_text(results):
    """Milliseconds of all; a stroke where one is missing."""
    times = [result.seconds for result in results]
    return "-" if None in times else milliseconds(sum(times))


def print_times(linears, results, repeats):
    """A table of the times of all linears, and of their sum."""
    rows = [("linear", "sequence", "ms", "Megatron-LM", "ms")]
    for linear, (plan, megatron) in zip(linears, results):
        rows.append((linear.name, plan.name, sum_text([plan]), linear.megatron, sum_text([megatron])))
    plans, megatrons = zip(*results)
    rows.append(("sum", "", sum_text(plans), "", sum_text(megatrons)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    print(f"Forward + backward, median of {repeats}:")
    for row in rows:
        print("  ".join(text.rjust(width) if column in (2, 4) else text.ljust(width)
                        for column, (text, width) in enumerate(zip(row, widths))))


def print_gaps(linears, results):
    """What the times beside Megatron-LM's lack."""
    for linear, (_, megatron) in zip(linears, results):
        if megatron.obstacle:
            print(f"Megatron-LM cannot divide {linear.name} so, and has no sum: {megatron.obstacle}.")
    kinds = {linear.megatron for linear in linears}
    if len(kinds) == 1:
        linears_text = "The one linear is" if len(linears) == 1 else f"All {len(linears)} linears are"
        missing, = MEGATRON.keys() - kinds
        print(f"{linears_text} {kinds.pop()}-parallel: the {missing}-parallel half of Megatron-LM's pairs is missing.")


def agreement_text(results, options):
    """Within what all results agree."""
    if options.tolerance is not None:
        return f"within {limit_text(options.tolerance)}"
    tolerance = TOLERANCES[options.dtype]
    largest = max(limit for pair in results for result in pair for limit in result.limits)
    if largest <= tolerance:
        return f"within {limit_text(tolerance)}"
    return (f"within {limit_text(tolerance)}, or where it errs itself by more than half of that in {options.dtype} "
            f"here, within {OWN_FACTOR} times its error, {limit_text(largest)} at most")


def print_summary(linears, results, options, agreed):
    """What holds of all linears."""
    if options.repeats:
        print_times(linears, results, options.repeats)
        print_gaps(linears, results)
    if agreed:
        print(f"All agree with torch.nn.functional.linear {agreement_text(results, options)}.", flush=True)


def check_all(ranks, options):
    """The exit status, on every rank."""
    linears = [scaled(linear, options.scale) for linear in LINEARS]
    progress = Progress(ranks.rank == 0)
    if ranks.rank == 0:
        print_title(linears, ranks, options)
    say_how_long(linears, ranks, options, progress)
    results = []
    for number, linear in enumerate(linears, 1):
        progress.subject = f"{linear.name} ({number} of {len(linears)}): "
        results.append(check(linear, ranks, options, progress))
        if ranks.rank == 0:
            print_results(linear, *results[-1])
            print_wrong(linear, results[-1])
    agreed = not any(result.wrong() for pair in results for result in pair)
    if ranks.rank == 0:
        print_summary(linears, results, options, agreed)
    return 0 if agreed else 1


# --- starting ---------------------------------------------------------------------------------------------------------


def join(rank, size, local_rank, local_size, options, store=None):
    """Makes the default process group: by NCCL where each process of this machine has a GPU of its own, else by Gloo,
    on GPUs that processes share if GPUs are asked for."""
    count = 0 if options.device == "cpu" else torch.cuda.device_count()
    nccl = dist.is_nccl_available() and count >= local_size
    cuda = nccl or options.device == "cuda"
    device = torch.device("cuda", local_rank % count) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = False  # or float32 would not be what is compared
    if not nccl:
        torch.set_num_threads(max(1, (os.cpu_count() or 1) // local_size))
    with Progress(rank == 0).stage(f"waiting for all {size} processes"):
        dist.init_process_group("nccl" if nccl else "gloo", rank=rank, world_size=size, store=store,
                                timeout=datetime.timedelta(seconds=options.timeout))
    return Ranks(device)


def work(ranks, options):
    """Checks everything and leaves: the exit status."""
    status = check_all(ranks, options)
    dist.barrier()
    dist.destroy_process_group()
    return status


def end_with_main():
    """A process that waits for others outlives a main that was killed: nobody would end it."""
    multiprocessing.parent_process().join()
    os._exit(1)


def work_alone(rank, options, port):
    """A process that main has started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # main ends it
    threading.Thread(target=end_with_main, daemon=True).start()
    limit = datetime.timedelta(seconds=options.timeout)
    store = dist.TCPStore("127.0.0.1", port, None, False, limit)
    ranks = join(rank, options.processes, rank, options.processes, options, store)
    sys.exit(work(ranks, options))


@contextlib.contextmanager
def interrupts_postponed():
    """Ctrl+C takes effect at the end of a `with`, as KeyboardInterrupt."""
    postponed = []
    signal.signal(signal.SIGINT, lambda *_: postponed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if postponed:
        raise KeyboardInterrupt


def start_forkserver():
    """Starts the process that others are forked from, with PyTorch in memory already. It ignores Ctrl+C from its first
    moment, and so do they: main ends them."""
    import multiprocessing.forkserver  # not on Windows
    torch.multiprocessing.get_context("forkserver").set_forkserver_preload(["torch", "torch.distributed"])
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    multiprocessing.forkserver.ensure_running()
    signal.signal(signal.SIGINT, handler)


def start_processes(options):
    """Starts processes on this machine, which meet at 127.0.0.1."""
    if sys.platform.startswith("linux"):
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    limit = datetime.timedelta(seconds=options.timeout)
    store = dist.TCPStore("127.0.0.1", 0, None, True, limit, wait_for_workers=False)  # 0: a port that is free
    method = "spawn"
    if "forkserver" in torch.multiprocessing.get_all_start_methods():
        method = "forkserver"
        start_forkserver()
    processes = torch.multiprocessing.start_processes(
        work_alone, (options, store.port), options.processes, join=False, start_method=method)
    return store, processes


def end_processes():
    """Ends all that were started, whatever they wait for."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    processes = multiprocessing.active_children()
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


INTERRUPTED = 130  # exit status, as a shell has it of a process that Ctrl+C ends


def start(options):
    """Has processes on this machine do the work: the exit status."""
    try:
        with interrupts_postponed():
            store, processes = start_processes(options)  # they meet as long as there is the store
        while not processes.join():
            pass
    except KeyboardInterrupt:
        end_processes()
        say("Stopped before all was checked.")
        return INTERRUPTED
    except torch.multiprocessing.ProcessExitedException as error:
        if error.exit_code != 1:
            say(error)
        return 1
    except torch.multiprocessing.ProcessRaisedException as error:
        say(error)
        return 1
    return 0


def parsed(arguments):
    parser = argparse.ArgumentParser(description=TITLE, epilog="See the first lines of this file.")
    parser.add_argument("--processes", type=int, metavar="N",
                        help=f"started on this machine: {1 << BITS}, as the plan has ranks; not with torchrun")
    parser.add_argument("--scale", type=int, default=1, metavar="S", help="divides tokens and features by this")
    parser.add_argument("--device", choices=("auto", "cuda", "cpu"), default="auto",
                        help="auto: GPUs if each process of a machine has one; cuda: GPUs, shared if there are fewer")
    parser.add_argument("--dtype", choices=tuple(TOLERANCES), default="float32", help="of the products")
    parser.add_argument("--tolerance", type=float, metavar="E",
                        help=f"the largest relative error (1e-5, of bfloat16 2e-2, or {OWN_FACTOR} times that of "
                             "torch.nn.functional.linear itself in the type, whichever is larger)")
    parser.add_argument("--repeats", type=int, default=5, metavar="R", help="passes that are timed (5); 0: none")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS",
                        help="to wait for another process (600)")
    return parser.parse_args(arguments)


def refuse(options, size):
    """What cannot be run is said before anything starts."""
    if not LINEARS:
        raise Problem("The plan has no linear.")
    if size != 1 << BITS:
        raise Problem(f"The plan divides its linears over {1 << BITS} processes (2^{BITS}), not {size}.")
    if options.scale < 1 or options.repeats < 0 or options.timeout <= 0:
        raise Problem("A scale is 1 or more, repeats are 0 or more, and a timeout is longer than 0 s.")
    if options.device == "cuda" and not torch.cuda.is_available():
        raise Problem("--device cuda needs a GPU that PyTorch can use; here is none.")
    for linear in LINEARS:
        if linear.megatron not in MEGATRON:
            raise Problem(f'{linear.name}: Megatron-LM divides it by "column" or by "row", not "{linear.megatron}".')
        partition = Partition(linear.sequence)
        if partition.bits != BITS:
            raise Problem(f"{linear.name}: {linear.sequence} takes {partition.bits} bits, the plan has {BITS}.")
        partition.check_sizes(linear)


def main(arguments=None):
    options = parsed(arguments)
    by_torchrun = "LOCAL_RANK" in os.environ and "WORLD_SIZE" in os.environ
    try:
        if by_torchrun and options.processes is not None:
            raise Problem("torchrun says how many processes there are: leave --processes out.")
        if options.processes is None:
            options.processes = 1 << BITS
        refuse(options, int(os.environ["WORLD_SIZE"]) if by_torchrun else options.processes)
    except Problem as problem:
        if os.environ.get("RANK", "0") == "0" or not by_torchrun:
            say(problem)
        return 2
    if not by_torchrun:
        return start(options)
    local = int(os.environ["LOCAL_RANK"]), int(os.environ.get("LOCAL_WORLD_SIZE", os.environ["WORLD_SIZE"]))
    return work(join(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), *local, options), options)


if __name__ == "__main__":
    sys.exit(main())
