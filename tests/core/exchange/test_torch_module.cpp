// SPDX-License-Identifier: GPL-3.0-or-later
// The program that carries partitions out: what is written into it, its rule against that of the core, and, where there
// is PyTorch, runs of it on several processes, whose results it compares with those of an undivided linear.
#include "core/exchange/torch_module.h"
#include "core/partition/linear_partition.h"
#include "core/workload/layer.h"
#include "tests/patience.h"
#include "tests/registry.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <unistd.h>

using namespace stratoplan::exchange;
using namespace stratoplan::partition;

namespace {

/// Small, and divided by every sequence of three bits: column-parallel in Megatron-LM, row-parallel, and so on.
TorchModule moduleOf(int bits, const std::vector<std::string>& sequences)
{
    TorchModule module{{}, bits, "A test"};
    for (const std::string& text : sequences) {
        const bool rowParallel = module.linears.size() % 2 != 0;
        module.linears.push_back({"linear " + text, parseSequence(text).value(), 8, 16, 24, 40, rowParallel});
    }
    return module;
}

const char* kindOf(const TorchLinear& linear)
{
    return linear.rowParallel ? "row" : "column";
}

/// Just enough of PyTorch for the rule to be read without it, and then every slice and every sender of every sequence
/// of up to four bits.
constexpr const char* kPrintRule = R"(
import importlib.util, itertools, sys, types

def stub(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module

function = types.SimpleNamespace(once_differentiable=lambda method: method)
stub("torch", float32=None, nn=types.SimpleNamespace(Module=object), distributed=stub("torch.distributed"),
     multiprocessing=stub("torch.multiprocessing"), autograd=types.SimpleNamespace(Function=object, function=function))
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
for sequence in sys.argv[2:]:
    partition = program.Partition(sequence)
    moments = list(itertools.product(("forward", "backward", "gradient"), range(partition.steps)))
    line = [sequence, partition.bits, partition.steps]
    line += [partition.slices(dimension) for dimension in "BMNK"]
    line += [partition.slice(dimension, rank, *moment) for moment in moments for rank in range(partition.ranks)
             for dimension in "BMNK"]
    line += [partition.summed_bits(phase) for phase in ("forward", "backward", "gradient")]
    for tensor in ("input", "weight", "output"):
        line.append(partition.copied_bits(tensor))
        for now, then in zip(moments, moments[1:] + moments[:1]):
            line += partition.senders(tensor, now, then)
    print(*line)
)";

/// A line of what that prints, by the core.
QByteArray ruleText(const Sequence& sequence)
{
    const LinearPartition partition(sequence);
    std::string line = text(sequence);
    const auto add = [&](auto number) { line += ' ' + std::to_string(number); };
    constexpr std::array dimensions{Dimension::B, Dimension::M, Dimension::N, Dimension::K};
    std::vector<LinearPartition::Moment> moments;
    for (const Phase phase : kPhases)
        for (int step = 0; step < partition.steps(); ++step)
            moments.push_back({phase, step});
    add(partition.bits());
    add(partition.steps());
    for (const Dimension dimension : dimensions)
        add(partition.slices(dimension));
    for (const LinearPartition::Moment moment : moments)
        for (int rank = 0; rank < partition.ranks(); ++rank)
            for (const Dimension dimension : dimensions)
                add(partition.slice(dimension, rank, moment.phase, moment.step));
    for (const Phase phase : kPhases)
        add(partition.reducedBits(phase));
    for (const Tensor tensor : kTensors) {
        add(partition.copiedBits(tensor));
        for (std::size_t i = 0; i < moments.size(); ++i)
            for (const int sender : partition.senders(tensor, moments[i], moments[(i + 1) % moments.size()]))
                add(sender);
    }
    return QByteArray::fromStdString(line + '\n');
}

/// Nothing of the core is in the program that it writes: a sanitizer has nothing to look into.
constexpr bool kIsRun = STRATOPLAN_SANITIZED == 0;
constexpr const char* kNoTorch = kIsRun
    ? "No Python here can import torch with Gloo: with python3-torch installed, what is written is run, too."
    : "What is written is run without sanitizers.";

struct Run {
    int status = -1; ///< -1: it did not end by itself
    QByteArray output, error;
    [[nodiscard]] QByteArray text() const { return "status " + QByteArray::number(status) + "\n" + output + error; }
    /// Of the first place in the output that is like it, what it captures.
    [[nodiscard]] QStringList captured(const QString& pattern) const
    {
        return QRegularExpression(pattern).match(QString::fromUtf8(output)).capturedTexts().mid(1);
    }
};

/// Processes that still run.
int livingOf(pid_t group)
{
    int count = 0;
    for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
        QFile file("/proc/" + name + "/stat");
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = file.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        count += fields.size() > 2 && fields[0] != "Z" && fields[2].toInt() == group;
    }
    return count;
}

} // namespace

class TestTorchModule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        // Whatever stands first in the path, Debian's PyTorch is known to Debian's Python.
        for (const char* python : {"python3", "/usr/bin/python3"})
            if (kIsRun && m_torch.isEmpty()
                && run(python, {"-c", "import torch.distributed as d; assert d.is_gloo_available()"}).status == 0)
                m_torch = python;
        m_gpu =
            !m_torch.isEmpty() && run(m_torch, {"-c", "import torch; assert torch.cuda.is_available()"}).status == 0;
    }

    void whatIsChosenStandsInIt()
    {
        const std::string text = torchModule(moduleOf(3, {"K,P2x2", "B,N,K"}));
        const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
        QVERIFY(has("\nTITLE = \"A test\"\nBITS = 3"));
        QVERIFY(has("\n    Linear(\"linear K,P2x2\", \"K,P2x2\", batch=8, tokens=16, in_features=24, out_features=40, "
                    "megatron=\"column\"),\n"));
        QVERIFY(has("\n    Linear(\"linear B,N,K\", \"B,N,K\", batch=8,"));
        QVERIFY(!has("feed-forward")); // the example that stood there
        QVERIFY(has("class SpatialTemporalLinear(torch.nn.Module):"));
        QVERIFY(has("ASPLOS 2024"));
        QVERIFY(has("\n  torchrun --nproc_per_node 8  FILE       a GPU for each process"));
        QVERIFY(torchModule(moduleOf(4, {"K,K,P2x2"})).find("\n  torchrun --nproc_per_node 16 FILE       a GPU")
            != std::string::npos);
        QVERIFY(text.starts_with("#!/usr/bin/env python3\n# SPDX-License-Identifier: Apache-2.0\n"));
        QVERIFY(text.ends_with("sys.exit(main())\n"));
    }

    /// As the core has it, whatever the sequence: each pair of linears is column-parallel, then row-parallel.
    void kindsAreThoseOfMegatron()
    {
        namespace names = stratoplan::workload::names;
        const std::vector<std::pair<std::string_view, std::string>> kinds{{names::kQkv, "column"},
            {names::kAttentionOutput, "row"}, {names::kFfnUp, "column"}, {names::kFfnGateAndUp, "column"},
            {names::kFfnDown, "row"}, {names::kSharedGateAndUp, "column"}, {names::kSharedDown, "row"}};
        PricedLayer layer;
        for (const auto& [name, kind] : kinds)
            for (const char* sequence : {"K,K", "N,N", "P2x2"}) {
                PricedOperator op;
                op.chosen = {std::string(name), sequence};
                op.kind = OperatorKind::Linear;
                op.size = {8, 16, 24, 40};
                layer.operators = {op};
                const std::string text = torchModule(torchModuleOf(layer, 4, "A test"));
                const std::string row = "\n    Linear(\"" + std::string(name) + "\", \"" + sequence + "\", ";
                const std::size_t begin = text.find(row);
                QVERIFY(begin != std::string::npos);
                const std::string line = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
                QVERIFY2(line.ends_with(", megatron=\"" + kind + "\"),"), line.c_str());
            }
    }

    /// Whatever names hold they stay names.
    void isPythonWhateverItsNames()
    {
        TorchModule module = moduleOf(2, {"P2x2"});
        module.title = "\"\"\" \\ ' # %s {x}\n\t\x7f Zürich \xf0\x9f\x99\x82";
        module.linears.front().name = "\"), Linear(\"";
        const QString file = write(module);
        const Run compiled = run("python3", {"-m", "py_compile", file});
        QVERIFY2(compiled.status == 0, compiled.text().constData());
        const char* const read = "import ast, sys\n"
                                 "tree = ast.parse(open(sys.argv[1], encoding='utf-8').read())\n"
                                 "values = {a.targets[0].id: a.value for a in tree.body if type(a) is ast.Assign\n"
                                 "          and type(a.targets[0]) is ast.Name}\n"
                                 "calls = values['LINEARS'].elts\n"
                                 "names = [ast.literal_eval(v) for v in (values['TITLE'], calls[0].args[0])]\n"
                                 "sys.stdout.buffer.write('|'.join(names + [str(len(calls))]).encode())\n";
        const Run names = run("python3", {"-c", read, file});
        QCOMPARE(names.output.toStdString(), module.title + "|" + module.linears.front().name + "|1");
    }

    void itsRuleIsThatOfTheCore()
    {
        QStringList arguments{"-c", kPrintRule, write(moduleOf(2, {"P2x2"}))};
        QByteArray expected;
        for (int bits = 0; bits <= 4; ++bits)
            for (const Sequence& sequence : sequences(bits)) {
                arguments << QString::fromStdString(text(sequence));
                expected += ruleText(sequence);
            }
        const Run rule = run("python3", arguments);
        QVERIFY2(rule.status == 0, rule.text().right(2000).constData());
        QVERIFY(rule.output.count('\n') == 1 + 4 + 17 + 72 + 306);
        QVERIFY(rule.output == expected);
    }

    void linearsAgree_data()
    {
        QTest::addColumn<int>("bits");
        QTest::addColumn<QStringList>("sequences");
        QTest::newRow("1 process") << 0 << QStringList{"-"};
        QTest::newRow("4 processes") << 2 << QStringList{"P2x2", "M,K", "N,B"};
        QTest::newRow("8 processes") << 3 << QStringList{"K,P2x2", "N,P2x2", "P2x2,B", "B,N,K"};
    }
    void linearsAgree()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QFETCH(const int, bits);
        QFETCH(const QStringList, sequences);
        std::vector<std::string> texts;
        for (const QString& sequence : sequences)
            texts.push_back(sequence.toStdString());
        const TorchModule module = moduleOf(bits, texts);
        const Run run = started(write(module), {"--repeats", "1"});
        QVERIFY2(run.status == 0, run.text().constData());
        QCOMPARE(run.output.count("forward + backward"), sequences.size());
        QVERIFY2(run.output.contains("processes: " + QByteArray::number(1 << bits) + " by "), run.text().constData());
        QVERIFY2(
            run.output.endsWith("All agree with torch.nn.functional.linear within 1e-05.\n"), run.text().constData());
        std::array<double, 2> sums{};
        for (const TorchLinear& linear : module.linears) {
            expectErrors(run, linear);
            expectTimes(run, linear, sums);
        }
        const QStringList sum = run.captured("\nsum +([0-9.]+) +([0-9.]+)\n");
        QVERIFY2(sum.size() == 2, run.text().constData());
        for (int way = 0; way < 2; ++way) // of numbers with three figures
            QVERIFY2(std::abs(sum[way].toDouble() - sums[way]) <= 0.01 * sums[way], run.text().constData());
    }

    /// Megatron-LM's are neither guessed from the sequences nor left out: each is told with what it lacks.
    void whatMegatronLacksIsSaid()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        TorchModule module = moduleOf(2, {"M,N"});
        module.linears.front().out = 42;
        const Run alone = started(write(module), {"--repeats", "1"});
        QVERIFY2(alone.status == 0, alone.text().constData());
        for (const char* text : {" ms; no Megatron column: K = 42 cannot be cut into 4 slices\n",
                 "\nMegatron-LM cannot divide linear M,N so, and has no sum: K = 42 cannot be cut into 4 slices.\n",
                 "\nThe one linear is column-parallel: the row-parallel half of Megatron-LM's pairs is missing.\n"})
            QVERIFY2(alone.output.contains(text), alone.text().constData());
        QVERIFY2(alone.captured("\nsum +([0-9.]+) +-\n").size() == 1, alone.text().constData());
    }

    /// What can be divided by both stays so.
    void scalesKeepWhatMegatronDivides()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        const Run run = started(write(moduleOf(2, {"M,M", "B,M"})), {"--repeats", "0", "--scale", "3"});
        QVERIFY2(run.status == 0, run.text().constData());
        for (const char* text : {"linear M,M: M,M, 8 x 4 x 8 -> 12: errors: ",
                 "linear B,M: B,M, 8 x 4 x 8 -> 13: errors: ", "; Megatron column errors: ", "; Megatron row errors: "})
            QVERIFY2(run.output.contains(text), run.text().constData());
    }

    /// As a terminal does it, which signals every process, and as kill does it. Before, it says how long it will take
    /// and what it does, which is no part of its output.
    void interruptedItEndsAll_data()
    {
        QTest::addColumn<bool>("every");
        QTest::newRow("Ctrl+C") << true;
        QTest::newRow("kill") << false;
    }
    void interruptedItEndsAll()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QFETCH(const bool, every);
        QByteArray text = QByteArray::fromStdString(torchModule(moduleOf(2, {"P2x2", "M,K"})));
        const QByteArray pauses = "FIRST, NEXT = 0.5, 10 ";
        QCOMPARE(text.count(pauses), 1);
        QProcess process;
        process.setChildProcessModifier([] { ::setsid(); });
        process.start(m_torch,
            {write(text.replace(pauses, "FIRST, NEXT = 0.5, 1 ")), "--timeout", "20", "--repeats", "1000000000"});
        QByteArray error;
        const auto says = [&](const char* part) {
            error += process.readAllStandardError();
            return error.contains(part);
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(" s so far\n"), int(m_deadline.remainingTime()));
        QVERIFY2(says("The matrix products take about ") && says("\nlinear P2x2 (1 of 2): timing P2x2: pass "),
            error.constData());
        const auto leader = static_cast<pid_t>(process.processId());
        QVERIFY(livingOf(leader) > 4);
        ::kill(every ? -leader : leader, SIGINT);
        QVERIFY(process.waitForFinished(20000));
        QVERIFY2(says("\nStopped before all was checked.\n") && !says("Traceback"), error.constData());
        QVERIFY(process.exitStatus() == QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QTRY_COMPARE(livingOf(leader), 0);
        const QByteArray output = process.readAllStandardOutput();
        QVERIFY2(output.count('\n') == 2 && output.startsWith("A test: linears: 2, processes: 4 by Gloo")
                && output.contains("without sequence parallelism"),
            output.constData());
    }

    /// Fewer bits of a number are fewer of the result: they agree as far as they can, and no further. Where the
    /// undivided linear itself errs by more, on processors that add up in bfloat16, that says how far.
    void narrowNumbersAgreeLess()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        const QString file = write(moduleOf(2, {"P2x2", "M,K"}));
        const QStringList narrow{"--repeats", "1", "--dtype", "bfloat16"};
        const Run agreed = started(file, narrow);
        QVERIFY2(agreed.status == 0 && agreed.output.contains("bfloat16"), agreed.text().constData());
        QVERIFY2(
            agreed.captured("\nAll agree with torch.nn.functional.linear within (2e-02)(?:\\.|, or where it errs "
                            "itself by more than half of that in bfloat16 here, within 2 times its error, "
                            "[0-9.]+e-0[12] at most\\.)\n$")
                    .size()
                == 1,
            agreed.text().constData());
        const Run strict = started(file, narrow + QStringList{"--tolerance", "1e-5"});
        QVERIFY2(strict.status == 1, strict.text().constData());
    }

    /// It errs in any type: with no tolerance to speak of, that alone says how far the others may.
    void whatTheUndividedErrsIsAllowed()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QByteArray text = QByteArray::fromStdString(torchModule(moduleOf(2, {"P2x2", "M,K"})));
        for (const auto& [from, to] :
            {std::pair{"\"float32\": 1e-5", "\"float32\": 1e-9"}, {"\nOWN_FACTOR = 2 ", "\nOWN_FACTOR = 50 "}}) {
            QCOMPARE(text.count(from), 1);
            text.replace(from, to);
        }
        const QString file = write(text);
        const Run agreed = started(file, {"--repeats", "0"});
        QVERIFY2(agreed.status == 0, agreed.text().constData());
        QCOMPARE(
            agreed
                .captured("within (1e-09), or where it errs itself by more than half of that in float32 here, within "
                          "50 times its error, [0-9.]+e-0[4-6] at most\\.\n$")
                .size(),
            1);
        const Run strict = started(file, {"--repeats", "0", "--tolerance", "1e-9"});
        QVERIFY2(strict.status == 1 && strict.error.contains(", 1e-09 is allowed\n"), strict.text().constData());
    }

    /// By Gloo and pinned memory, on a stream beside that of the products: at a size at which both take a while.
    void gpusAreShared_data()
    {
        QTest::addColumn<QString>("type");
        QTest::newRow("float32") << "float32";
        QTest::newRow("bfloat16") << "bfloat16";
    }
    void gpusAreShared()
    {
        if (!m_gpu)
            QSKIP("There is no GPU here that PyTorch can use.");
        QFETCH(const QString, type);
        TorchModule module = moduleOf(2, {"P2x2", "M,K"});
        for (TorchLinear& linear : module.linears)
            linear.tokens = linear.in = linear.out = 2048;
        const Run run = started(write(module), {"--repeats", "1", "--device", "cuda", "--dtype", type});
        QVERIFY2(run.status == 0 && run.output.contains(" GPU"), run.text().constData());
    }

    /// With a weight that is not trained, with an input that nobody wants a gradient of, and after a pass forward that
    /// none followed backward.
    void phasesAreLeftOut()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QByteArray text = QByteArray::fromStdString(torchModule(moduleOf(2, {"P2x2", "K,N"})));
        const QByteArray place = "    kept = ((output.detach(), OUTPUT, end)";
        QCOMPARE(text.count(place), 1);
        text.replace(place,
            "    block = block.detach().requires_grad_()\n"
            "    module.weight.requires_grad_(False).grad = None\n"
            "    module(block).backward(gradient)\n"
            "    assert module.weight.grad is None\n"
            "    module.weight.requires_grad_(True)\n"
            "    module(block.detach()).backward(gradient)\n"
            "    module(block)\n"
            "    if isinstance(module, SpatialTemporalLinear):\n"
            "        module.bring_home()\n"
                + place);
        const Run run = started(write(text), {"--repeats", "0"});
        QVERIFY2(run.status == 0 && run.output.contains("All agree"), run.text().constData());
    }

    /// A rule by which ranks work on what they should not, or sums that are not summed up, do not pass.
    void whatIsWrongIsFound_data()
    {
        QTest::addColumn<QByteArray>("right");
        QTest::addColumn<QByteArray>("wrong");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("rule") << QByteArray("\"N\": r + c + t") << QByteArray("\"N\": r + c")
                              << QByteArray("linear P2x2: P2x2: the output differs");
        QTest::newRow("sums") << QByteArray("if mask != 0:") << QByteArray("if mask == 3:")
                              << QByteArray("linear M,K: M,K: the weight gradient differs");
        QTest::newRow("column") << QByteArray("if ctx.column else None") << QByteArray("if False else None")
                                << QByteArray("linear P2x2: Megatron column: the input gradient differs");
        QTest::newRow("no numbers") << QByteArray("output = torch.nn.functional.linear(block, weight)")
                                    << QByteArray("output = torch.nn.functional.linear(block, weight / 0)")
                                    << QByteArray("linear P2x2: P2x2: the output differs");
        QTest::newRow("row") << QByteArray("if not column:") << QByteArray("if False:")
                             << QByteArray("linear M,K: Megatron row: the output differs");
    }
    void whatIsWrongIsFound()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QFETCH(const QByteArray, right);
        QFETCH(const QByteArray, wrong);
        QFETCH(const QByteArray, message);
        QByteArray text = QByteArray::fromStdString(torchModule(moduleOf(2, {"P2x2", "M,K"})));
        QCOMPARE(text.count(right), 1);
        const Run run = started(write(text.replace(right, wrong)), {"--repeats", "0"});
        QVERIFY2(run.status == 1, run.text().constData());
        QVERIFY2(run.error.contains(message), run.text().constData());
        QVERIFY2(!run.output.contains("All agree"), run.text().constData());
    }

    void unknownKindsAreSaid()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QByteArray text = QByteArray::fromStdString(torchModule(moduleOf(2, {"P2x2"})));
        const Run run = started(write(text.replace("megatron=\"column\"", "megatron=\"diagonal\"")), {});
        QVERIFY2(run.status == 2, run.text().constData());
        QCOMPARE(run.error,
            QByteArray("linear P2x2: Megatron-LM divides it by \"column\" or by \"row\", not "
                       "\"diagonal\".\n"));
    }

    void whatCannotRunIsSaid_data()
    {
        QTest::addColumn<int>("bits");
        QTest::addColumn<QString>("sequence");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("processes") << 2 << "P2x2" << QStringList{"--processes", "3"}
                                   << QByteArray("over 4 processes (2^2), not 3.");
        QTest::newRow("bits") << 3 << "P2x2" << QStringList{} << QByteArray("P2x2 takes 2 bits, the plan has 3.");
        QTest::newRow("slices") << 4 << "K,K,K,K" << QStringList{}
                                << QByteArray("K = 40 cannot be cut into 16 slices.");
        QTest::newRow("none") << 2 << "" << QStringList{} << QByteArray("The plan has no linear.");
        QTest::newRow("device") << 2 << "P2x2" << QStringList{"--device", "cuda"} << QByteArray("here is none.");
        QTest::newRow("scale") << 2 << "P2x2" << QStringList{"--scale", "0"} << QByteArray("A scale is 1 or more");
    }
    void whatCannotRunIsSaid()
    {
        if (m_torch.isEmpty())
            QSKIP(kNoTorch);
        QFETCH(const int, bits);
        QFETCH(const QString, sequence);
        QFETCH(const QStringList, arguments);
        QFETCH(const QByteArray, message);
        const auto sequences = sequence.isEmpty() ? std::vector<std::string>{} : std::vector{sequence.toStdString()};
        qputenv("CUDA_VISIBLE_DEVICES", "");
        const Run run = started(write(moduleOf(bits, sequences)), arguments);
        qunsetenv("CUDA_VISIBLE_DEVICES");
        QVERIFY2(run.status == 2, run.text().constData());
        QVERIFY2(run.error.contains(message), run.text().constData());
    }

private:
    /// Of both ways to divide it, as the program says them.
    static void expectErrors(const Run& run, const TorchLinear& linear)
    {
        const QString error = "([0-9.e+-]+)", sequence = QString::fromStdString(text(linear.sequence));
        const QString errors = "output " + error + ", input gradient " + error + ", weight gradient " + error;
        const QStringList found = run.captured("\nlinear " + sequence + ": " + sequence
            + ", 8 x 16 x 24 -> 40: errors: " + errors + "; .*, Megatron " + kindOf(linear) + " [0-9.]+ ms; Megatron "
            + kindOf(linear) + " errors: " + errors + "\n");
        QVERIFY2(found.size() == 6, run.text().constData());
        for (const QString& number : found)
            QVERIFY2(number.toDouble() <= 1e-5, run.text().constData());
    }

    /// Of both ways, in the table, and adds them to the sums.
    static void expectTimes(const Run& run, const TorchLinear& linear, std::array<double, 2>& sums)
    {
        const QString sequence = QString::fromStdString(text(linear.sequence));
        const QStringList found =
            run.captured("\nlinear " + sequence + " +" + sequence + " +([0-9.]+) +" + kindOf(linear) + " +([0-9.]+)\n");
        QVERIFY2(found.size() == 2, run.text().constData());
        for (int way = 0; way < 2; ++way)
            sums[way] += found[way].toDouble();
    }

    QString write(const TorchModule& module) { return write(QByteArray::fromStdString(torchModule(module))); }
    QString write(const QByteArray& text)
    {
        const QString path = m_folder.filePath("program" + QString::number(++m_files) + ".py");
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? path : QString();
    }

    Run started(const QString& file, const QStringList& arguments)
    {
        return run(m_torch, QStringList{file, "--timeout", "20"} + arguments);
    }

    /// All runs together have less than the deadline. What does not end is killed, and its processes end with it.
    Run run(const QString& python, const QStringList& arguments)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONDONTWRITEBYTECODE", "1");
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(python, arguments);
        const bool ended = process.waitForFinished(int(m_deadline.remainingTime()));
        if (!ended) {
            process.kill();
            process.waitForFinished(2000);
        }
        return {ended && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            process.readAllStandardOutput(), process.readAllStandardError()};
    }

    QTemporaryDir m_folder;
    QDeadlineTimer m_deadline{180000};
    QString m_torch; ///< a Python that has it; empty: none
    bool m_gpu = false; ///< that it can use
    int m_files = 0;
};

STRATOPLAN_TEST(TestTorchModule)
#include "test_torch_module.moc"
