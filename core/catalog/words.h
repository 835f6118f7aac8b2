// SPDX-License-Identifier: Apache-2.0
// What readers of the catalogue find and expect: whole phrases, with places for filled() of core/units/sentence.h.
#pragma once

namespace stratoplan::words {

inline constexpr char kAFrameworkThatNoOtherEntryHas[] = "a framework that no other entry has";
inline constexpr char kANumberAboveZero[] = "a number above zero";
inline constexpr char kANumberOfZeroOrMore[] = "a number of zero or more";
inline constexpr char kAPrecisionForExampleBf16[] = "a precision, for example \"bf16\"";
inline constexpr char kASoftwareProfile[] = "a software profile";
inline constexpr char kALinkOfTheCatalogue[] = "the id of a link, where there are NVLinks";
inline constexpr char kANodeOfTheCatalogue[] = "the id of a node";
inline constexpr char kAValueOfTheRule[] = "a value of the rule";
inline constexpr char kAnAccelerator[] = "an accelerator";
inline constexpr char kAnEmptyArray[] = "an empty array";
inline constexpr char kAnIdThatNoOtherEntryHas[] = "an id that no other entry has";
inline constexpr char kPeakRates[] =
    "an object of dense peak rates in TFLOP/s by precision (fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4, int8)";
inline constexpr char kAnObjectOfWholeNumbers[] = "an object of whole numbers";
inline constexpr char kLicenseAndEntries[] = "an object with \"license\" and a list \"entries\"";
inline constexpr char kAnyFramework[] = "any framework";
inline constexpr char kRunsOrRefuses[] = "beside it \"runs\" with values or \"refuses\" with a predicate";
inline constexpr char kMeasuredKernels[] = "measured kernels";
inline constexpr char kOneForEachHeadDim[] = "one number for each of the rising \"head_dims\"";
inline constexpr char kRefusesAlone[] = "\"refuses\" with a predicate: the rule has no values";
inline constexpr char kRulesInTheirOrderEachOnce[] = "rules in their order, each once";

inline constexpr char kAListOf[] = "a list of {count} numbers";
inline constexpr char kAnArrayOf[] = "an array of {count}";
inline constexpr char kTheRuleAfter[] = "the rule after {rule}";
inline constexpr char kAnEntryOf[] = "an entry of \"{name}\"";
inline constexpr char kOneOfTheKeys[] = "one of the keys {names}";
inline constexpr char kTheIdOf[] = "the id of {what}";
inline constexpr char kTheIdOfSuchAs[] = "the id of {what}, such as {ids}";

} // namespace stratoplan::words
