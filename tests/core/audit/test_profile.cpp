// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles in every format that is read, and what is said of those that cannot be.
#include "core/reporting/audits.h"
#include "tests/core/audit/traces.h"
#include "tests/registry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <zlib.h>

using namespace stratoplan;
using namespace stratoplan::audit;
using namespace stratoplan::traces;

namespace {

const std::string kNsysHeading =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n";

std::string nsysRow(const std::string& start, const std::string& duration, const std::string& name)
{
    return start + ',' + duration + ",1,,,,,,,,,,,,,,NVIDIA H100 80GB HBM3 (0),1,,7," + name + '\n';
}

void writeGzip(const QString& path, const std::string& text)
{
    gzFile file = gzopen(path.toUtf8().constData(), "wb");
    gzwrite(file, text.data(), unsigned(text.size()));
    gzclose(file);
}

} // namespace

class TestProfile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tracesAreRead()
    {
        const auto profile = read(traceText({mark(3, 100, 50), {"cpu_op", "aten::mm", 90, 10},
                                                kernel(kGemm, 100.5, 10.25), {"gpu_memcpy", "Memcpy HtoD", 120, 5, 9},
                                                kernel(kAllReduce, 130, 4, 13,
                                                    R"(,"Collective name":"allreduce","Group size":8,)"
                                                    R"("Process Group Description":"mesh_tp","nested":{"device":5})")},
            R"("distributedInfo":{"backend":"nccl","rank":5,"world_size":16},)"));
        QVERIFY(profile);
        QCOMPARE(profile->events.size(), std::size_t{3});
        QCOMPARE(profile->events[0].start, std::int64_t{100'500});
        QCOMPARE(profile->events[0].end, std::int64_t{110'750});
        QCOMPARE(profile->names[profile->events[0].name], kGemm);
        QVERIFY(profile->events[1].isCopy && !profile->events[0].isCopy);
        QCOMPARE(profile->events[1].stream, 9);
        const CollectiveGroup expected{"allreduce", "mesh_tp", 8};
        QVERIFY(profile->groups[profile->events[2].group] == expected);
        QCOMPARE(profile->devices, std::vector<std::string>{"0"});
        QVERIFY(profile->rank == 5 && profile->worldSize == 16);
        QCOMPARE(profile->marks.size(), std::size_t{1});
        QVERIFY(profile->marks[0].onDevice && profile->marks[0].number == 3);
    }

    /// Chrome's other form is the list of events by itself; writers quote times, and write old categories.
    void otherFormsAreRead()
    {
        const auto profile = read("\n [" + eventText({"Kernel", kGemm, 1, 2})
            + R"(,{"ph":"X","cat":"kernel",)"
              R"("name":"7","ts":"5","dur":"1.5"}])");
        QVERIFY(profile);
        QCOMPARE(profile->events.size(), std::size_t{2});
        QCOMPARE(profile->events[1].end, std::int64_t{6500});
        QCOMPARE(profile->names[profile->events[1].name], std::string("7"));
    }

    void gzippedTracesAreRead()
    {
        const QTemporaryDir folder;
        const std::string text = traceText({kernel(kGemm, 1, 2), kernel(kAdam, 4, 2)});
        const QString path = folder.filePath("trace.json.gz");
        writeGzip(path, text);
        const auto profile = readProfile(std::filesystem::path(path.toStdString()));
        QVERIFY(profile);
        QCOMPARE(profile->events.size(), std::size_t{2});
        QFile file(path);
        QVERIFY(file.resize(file.size() / 2));
        const auto cut = readProfile(std::filesystem::path(path.toStdString()));
        QVERIFY(!cut);
        QCOMPARE(int(cut.error().code), int(ProfileFaultCode::BrokenGzip));
    }

    void nsysTablesAreRead()
    {
        const std::string text = "\nProcessing [report.sqlite] with [cuda_gpu_trace.py]...\n" + kNsysHeading
            + nsysRow("1000", "500", "\"void at::k<int, float>(int, \"\"x\"\")\"")
            + nsysRow("1600", "100", "[CUDA memcpy Host-to-Device]") + "\n";
        const auto profile = read(text);
        QVERIFY(profile);
        QCOMPARE(int(profile->format), int(ProfileFormat::NsysCsv));
        QCOMPARE(profile->events.size(), std::size_t{2});
        QCOMPARE(profile->events[0].end, std::int64_t{1500});
        QCOMPARE(profile->names[0], std::string("void at::k<int, float>(int, \"x\")"));
        QVERIFY(profile->events[1].isCopy);
        const auto inSeconds = read("Start (s),Duration (us),Strm,Name\n1.5,2,7,k\n");
        QVERIFY(inSeconds);
        QCOMPARE(inSeconds->events[0].end, std::int64_t{1'500'002'000});
    }

    void nsysJsonIsRead()
    {
        const auto profile = read(R"j([{"Start (ns)":1000,"Duration (ns)":500,"Strm":7,"Device":"H100 (0)",)j"
                                  R"j("Name":"nvjet_a"},{"Start (ns)":1700,"Duration (ns)":10,"Strm":8,)j"
                                  R"j("Device":"H100 (0)","Name":"[CUDA memset]"}])j");
        QVERIFY(profile);
        QCOMPARE(int(profile->format), int(ProfileFormat::NsysJson));
        QCOMPARE(profile->events.size(), std::size_t{2});
        QVERIFY(profile->events[1].isCopy && profile->devices.front() == "H100 (0)");
    }

    void faultsNameTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("line");
        const auto row = [](const char* name, const std::string& text, ProfileFaultCode code, int line) {
            QTest::newRow(name) << QString::fromStdString(text) << int(code) << line;
        };
        using enum ProfileFaultCode;
        row("cut off", R"({"traceEvents":[
{"ph":"X",)",
            Syntax, 2);
        row("comma too many", "\n{\"traceEvents\":[\n1,\n,2]}", Syntax, 4);
        row("other JSON", R"({"rows":[]})", NoTrace, 0);
        row("nothing of a device", traceText({{"cpu_op", "aten::mm", 1, 2}}), NoDeviceEvents, 0);
        row("prose", "hello\nworld\n", NoTrace, 0);
        row("empty", "", NoTrace, 0);
        row("no name", "Start (ns),Duration (ns)\n1,2\n", NoColumn, 0);
        row("a word", "\n" + kNsysHeading + nsysRow("1", "2", "k") + nsysRow("many", "2", "k"), Cell, 4);
        row("no number", kNsysHeading + nsysRow("nan", "2", "k"), Cell, 2);
        row("no end", kNsysHeading + nsysRow("1", "inf", "k"), Cell, 2);
        row("below zero", kNsysHeading + nsysRow("1", "-2", "k"), Cell, 2);
        row("deep", R"({"traceEvents":)" + std::string(70, '[') + std::string(70, ']') + '}', TooDeep, 0);
    }
    void faultsNameTheirPlace()
    {
        QFETCH(const QString, text);
        QFETCH(const int, code);
        QFETCH(const int, line);
        const auto profile = read(text.toStdString());
        QVERIFY(!profile);
        QCOMPARE(int(profile.error().code), code);
        QCOMPARE(profile.error().line, std::int64_t(line));
        const exchange::DocumentError error = reporting::documentError(profile.error());
        const std::string sentence = exchange::describe(error);
        QVERIFY2(sentence.find("trace.json") == 0 && sentence.find('{') == std::string::npos, sentence.c_str());
        QVERIFY(line == 0 || sentence.find("line " + std::to_string(line)) != std::string::npos);
    }

    void missingFilesAreTold()
    {
        const auto missing = readProfile(std::filesystem::path("/nonexistent/trace.json"));
        QVERIFY(!missing);
        QCOMPARE(int(missing.error().code), int(ProfileFaultCode::Missing));
        const auto folder = readProfile(std::filesystem::temp_directory_path());
        QVERIFY(!folder);
        QCOMPARE(int(folder.error().code), int(ProfileFaultCode::Unreadable));
    }

    /// Times beyond what nanoseconds can count are held to it, and nothing overflows.
    void wildNumbersDoNoHarm()
    {
        const auto profile = read(traceText({kernel(kGemm, 1e300, 1e300), kernel(kGemm, -1e300, -5),
            kernel(kGemm, 1, -3), {"kernel", kGemm, 1, 1, 7, R"(,"Group size":1e40,"stream":-1e30)"}}));
        QVERIFY(profile);
        for (const DeviceEvent& event : profile->events)
            QVERIFY(event.end >= event.start);
        const auto longest = read(traceText({kernel(kGemm, -1e300, 2e300)}));
        QVERIFY(longest && longest->events.front().end - longest->events.front().start > 0);
    }
};

STRATOPLAN_TEST(TestProfile)
#include "test_profile.moc"
