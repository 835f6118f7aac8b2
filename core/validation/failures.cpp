// SPDX-License-Identifier: Apache-2.0
#include "core/validation/failures.h"

#include <map>

namespace stratoplan::validation {
namespace {

void add(const CaseResult& row, FitCount& count)
{
    ++count.runs;
    (row.fits ? count.toldToFit : count.toldNotToFit).push_back(row.id);
}

} // namespace

bool isFailure(const MeasuredCase& measured)
{
    return measured.status == "oom-certain" || measured.status == "oom-likely";
}

double FitMatrix::caughtShare() const
{
    return failures() == 0 ? 0 : double(certain.toldNotToFit.size() + likely.toldNotToFit.size()) / failures();
}

FitMatrix fitMatrix(const Validation& measured, const CaseSet& failures, const std::stop_token& stop)
{
    FitMatrix matrix;
    for (const CaseResult& row : measured.rows)
        if (row.measuredSeconds || row.measuredGib)
            add(row, matrix.measured);
    const Validation crashed = validate(failures, stop);
    matrix.skipped = crashed.skipped;
    std::map<std::string, std::string> statusOf;
    for (const MeasuredCase& c : failures.cases)
        statusOf[c.id] = c.status;
    for (const CaseResult& row : crashed.rows)
        if (const std::string& status = statusOf[row.id]; status == "oom-certain")
            add(row, matrix.certain);
        else if (status == "oom-likely")
            add(row, matrix.likely);
        else
            matrix.skipped.push_back({row.id,
                "status is " + (status.empty() ? "not stated" : '"' + status + '"')
                    + ", expected \"oom-certain\" or \"oom-likely\""});
    return matrix;
}

} // namespace stratoplan::validation
