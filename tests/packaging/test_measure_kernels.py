#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""packaging/measure-kernels without a GPU and without PyTorch: shapes, statistics, arguments, messages, and the file it
writes, which the real command line then reads.  test_measure_kernels.py SCRIPT STRATOPLAN_CLI"""
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
SCRIPT, CLI = sys.argv[1:3]


def load():
    loader = importlib.machinery.SourceFileLoader("measure_kernels", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_kernels", loader))
    loader.exec_module(module)
    return module


mk = load()


class FakeEvent:
    """Events of a device on which each kernel takes a millisecond more than the one before."""

    count = 0

    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        FakeEvent.count += 1
        self.at = FakeEvent.count

    def elapsed_time(self, other):
        return 1.0 + 0.01 * (other.at - self.at)


def fake_torch(gpus=1):
    """As much of PyTorch as the program touches before it measures."""
    torch = types.ModuleType("torch")
    torch.__version__ = "2.9.9"
    torch.version = types.SimpleNamespace(cuda="12.9", hip=None)
    torch.int8, torch.bfloat16, torch.float16, torch.float8_e4m3fn = "int8", "bfloat16", "float16", "float8_e4m3fn"
    torch._scaled_mm = None
    torch.device = lambda kind, index: (kind, index)
    torch.empty = lambda *size, **keys: types.SimpleNamespace(zero_=lambda: None)
    torch.cuda = types.SimpleNamespace(
        is_available=lambda: gpus > 0, device_count=lambda: gpus, set_device=lambda device: None, synchronize=lambda: None, Event=FakeEvent,
        _sleep=lambda ticks: None, empty_cache=lambda: None, get_device_name=lambda device: "NVIDIA H100 80GB HBM3", get_device_capability=lambda device: (9, 0),
        get_device_properties=lambda device: types.SimpleNamespace(multi_processor_count=132, total_memory=85017755648, L2_cache_size=50 << 20))
    return torch


class Shapes(unittest.TestCase):
    def test_each_layer_has_three_passes(self):
        shapes = mk.gemm_shapes(True, ("bf16",))
        self.assertEqual(len(shapes), 3 * len(mk.linear_layers(True)))
        forward, dgrad, wgrad = shapes[:3]
        self.assertEqual([forward["pass"], dgrad["pass"], wgrad["pass"]], ["forward", "dgrad", "wgrad"])
        self.assertEqual((forward["m"], forward["n"], forward["k"]), (dgrad["m"], dgrad["k"], dgrad["n"]))
        self.assertEqual((wgrad["m"], wgrad["n"], wgrad["k"]), (forward["n"], forward["k"], forward["m"]))

    def test_the_whole_list_is_larger_and_without_repeats(self):
        layers = mk.linear_layers(False)
        self.assertEqual(len(layers), len(set(layers)))
        self.assertGreater(len(layers), 50)
        self.assertIn((4096, 4096, 128256), layers)
        self.assertTrue(all(min(layer) >= 128 for layer in layers))

    def test_fp8_has_no_attention(self):
        self.assertEqual(mk.attention_shapes(True, ("fp8",)), [])
        shapes = mk.attention_shapes(False, ("bf16", "fp8"))
        self.assertEqual({shape["precision"] for shape in shapes}, {"bf16"})
        self.assertEqual({shape["pass"] for shape in shapes}, {"forward", "backward"})

    def test_bytes_of_streams(self):
        self.assertEqual(mk.memory_bytes("copy", 10), 40)
        self.assertEqual(mk.memory_bytes("add", 10), 60)

    def test_spans(self):
        self.assertEqual(mk.spans(1, 1), [])
        self.assertEqual(mk.spans(4, 4), [[0, 1], [0, 1, 2, 3]])
        self.assertEqual(mk.spans(4, 2), [[0, 1], [0, 2], [0, 1, 2, 3]])
        self.assertEqual(mk.spans(6, 6), [[0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]])
        self.assertEqual(mk.ranks_inside([0, 2], 2), 1)
        self.assertEqual(mk.ranks_inside([0, 1, 2, 3], 2), 2)


class Statistics(unittest.TestCase):
    def test_median_and_spread(self):
        self.assertEqual(mk.median([3, 1, 2]), 2)
        self.assertEqual(mk.median([4, 1, 2, 3]), 2.5)
        self.assertRaises(ValueError, mk.median, [])
        self.assertEqual(mk.spread([2, 2, 2]), 0)
        self.assertAlmostEqual(mk.spread([100] + [1.0] * 18 + [1.1] * 2), 0.1)
        self.assertEqual(mk.summary([2.0, 1.0, 3.0]), {"seconds": 2.0, "spread": 1.0, "repeats": 3})

    def test_the_stopwatch_takes_each_repeat(self):
        torch = fake_torch()
        seconds = mk.Stopwatch(torch, ("cuda", 0), 5).measure(lambda: None)
        self.assertEqual(len(seconds), 5)
        self.assertTrue(all(abs(one - 0.00101) < 1e-9 for one in seconds))


class Provenance(unittest.TestCase):
    def test_smi(self):
        told = mk.parse_smi("1980, 2619, [N/A], 700.00, 41, 550.54.15")
        self.assertEqual(told, {"sm_mhz": 1980.0, "memory_mhz": 2619.0, "most_sm_mhz": None, "power_limit_w": 700.0, "temperature_c": 41.0, "driver": "550.54.15"})

    def test_no_smi(self):
        def missing(*arguments, **keys):
            raise OSError("no nvidia-smi")

        self.assertIsNone(mk.smi(0, missing)["power_limit_w"])
        self.assertIsNone(mk.smi(0, missing)["driver"])


class Program(unittest.TestCase):
    def run_main(self, arguments, torch=None, environment=None):
        error = io.StringIO()
        with mock.patch.dict(sys.modules, {"torch": torch}), mock.patch("sys.stderr", error):
            try:
                code = mk.main(arguments, environment or {})
            except SystemExit as end:
                code = end.code
        return code, error.getvalue()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.output = os.path.join(self.folder.name, "kernels.json")

    def tearDown(self):
        self.folder.cleanup()

    def test_without_torch(self):
        code, told = self.run_main(["-o", self.output])
        self.assertEqual(code, 2)
        self.assertIn("PyTorch is missing", told)
        self.assertIn("pytorch.org", told)
        self.assertFalse(os.path.exists(self.output))

    def test_without_gpu(self):
        code, told = self.run_main(["-o", self.output], fake_torch(0))
        self.assertEqual(code, 2)
        self.assertIn("PyTorch 2.9.9 sees no GPU", told)

    def test_bad_arguments(self):
        for arguments, said in ((["--only", "gems"], "expected some of gemm, attention, memory, launch, collectives"), (["--repeats", "2"], "expected a whole number from 3 to 1000"),
                                (["--precisions", "int4"], "expected some of bf16, fp16, fp8")):
            code, told = self.run_main(arguments)
            self.assertEqual(code, 2)
            self.assertIn(said, told)
        code, told = self.run_main(["-o", "/no/such/folder/k.json"], fake_torch())
        self.assertEqual(code, 2)
        self.assertIn("--output: found '/no/such/folder/k.json', expected a file", told)

    def test_bad_ranks(self):
        self.assertIn("LOCAL_RANK: found 3, expected less than the 1 GPUs", self.run_main(["-o", self.output], fake_torch(), {"LOCAL_RANK": "3"})[1])
        self.assertIn("WORLD_SIZE: found 'x', expected a whole number", self.run_main(["-o", self.output], fake_torch(), {"WORLD_SIZE": "x"})[1])

    def test_a_kernel_that_fails_is_skipped_with_its_reason(self):
        options = mk.parse_arguments(["--quick"])
        bench = mk.Bench(fake_torch(), options, ("cuda", 0), lambda text: None)

        def prepare(shape):
            if shape["m"] == 2:
                raise RuntimeError("out of memory\nand much more")
            return lambda: None

        bench.all("gemm", [{"m": 1}, {"m": 2}, {"m": 3}], prepare)
        self.assertEqual([one["m"] for one in bench.kernels["gemm"]], [1, 3])
        self.assertEqual(bench.skipped, [{"what": 'gemm {"m": 2}', "reason": "out of memory"}])

    def test_nothing_chosen_is_still_a_file(self):
        code, told = self.run_main(["-o", self.output, "--only", "collectives"], fake_torch())
        self.assertEqual(code, 0, told)
        with open(self.output) as file:
            written = json.load(file)
        self.assertEqual(written["skipped"][0]["what"], "collectives")
        self.assertEqual(written["provenance"]["gpu"], "NVIDIA H100 80GB HBM3")
        self.assertEqual(os.listdir(self.folder.name), ["kernels.json"])


class Reading(unittest.TestCase):
    """What is written here, the command line reads."""

    def profile(self):
        kernels = {kind: [] for kind in mk.KINDS}
        for shape in mk.gemm_shapes(True, ("bf16", "fp8")):
            rate = 1.2e15 if shape["precision"] == "fp8" else 7e14
            kernels["gemm"].append(dict(shape, **mk.summary([3e-6 + 2.0 * shape["m"] * shape["n"] * shape["k"] / rate] * 3)))
        for shape in mk.attention_shapes(True):
            work = 2.0 * shape["batch"] * shape["sequence"] ** 2 * shape["heads"] * shape["head_dim"] * (2.5 if shape["pass"] == "backward" else 1)
            kernels["attention"].append(dict(shape, **mk.summary([work / 3e14] * 3)))
        for shape in mk.memory_shapes(True):
            size = mk.memory_bytes(shape["kernel"], shape["elements"])
            kernels["memory"].append(dict({"kernel": shape["kernel"], "bytes": size}, **mk.summary([size / 2.6e12] * 3)))
        kernels["launch"] = [dict({"kernel": "host"}, **mk.summary([6e-6] * 3)), dict({"kernel": "device"}, **mk.summary([2e-6] * 3))]
        for group in mk.spans(16, 8):
            for size in mk.collective_sizes(False):
                kernels["collectives"].append({"operation": "all_reduce", "ranks": len(group), "inside": mk.ranks_inside(group, 8), "bytes": size,
                                               "seconds": 2e-5 + 2 * size / 2e11, "spread": 0.01, "repeats": 15})
        clocks = mk.parse_smi("1980, 2619, 1980, 700.00, 41, 550.54.15")
        provenance = mk.provenance_of(fake_torch(), ("cuda", 0), 16, 8, clocks, clocks, mk.parse_arguments([]), "2.27.3")
        return mk.document(provenance, kernels, [{"what": "fp4", "reason": "this PyTorch does not have it"}])

    def test_the_command_line_fits_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path, output = os.path.join(folder, "measured"), os.path.join(folder, "profile.json")
            mk.write_json(path, self.profile())
            environment = dict(os.environ, XDG_STATE_HOME=folder)
            done = subprocess.run([CLI, "calibrate", path, "-o", output, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout.decode())
            self.assertEqual(answer["kind"], "kernels")
            self.assertEqual(answer["accelerator"], "h100-sxm-80")
            for kind in ("matrix products", "attention forward", "attention backward", "memory-bound kernels", "collectives"):
                for when in ("before", "after", "left_out"):
                    self.assertGreater(answer["errors"][kind][when]["n"], 0, kind)
                errors = answer["errors"][kind]
                self.assertLess(errors["after"]["mean_abs_error"], max(0.1, errors["before"]["mean_abs_error"]), kind)
            self.assertIsNotNone(answer["links"]["scale_up"])
            self.assertIsNotNone(answer["links"]["nic"])
            with open(output) as file:
                self.assertEqual(json.load(file)["format"], "stratoplan-profile")
            text = subprocess.run([CLI, "calibrate", path, "-o", output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, timeout=100)
            self.assertIn("left out", text.stdout.decode())
            self.assertIn("NVIDIA H100 80GB HBM3 (h100-sxm-80 of the catalogue)", text.stdout.decode())

    def test_what_is_no_number_is_not_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.json")
            self.assertRaises(ValueError, mk.write_json, path, {"x": float("nan")})
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
