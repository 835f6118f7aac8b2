// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/unit_field.h"

#include "core/units/format.h"
#include "core/units/parse.h"
#include "widgets/panels/count_field.h"
#include "widgets/presentation/text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace stratoplan::widgets {

namespace {

constexpr double kGigabit = 1e9 / 8;

/// What one unit of a bare number is, in base units.
double bareUnit(UnitKind kind)
{
    switch (kind) {
    case UnitKind::Number:
    case UnitKind::Tokens:
        return 1;
    case UnitKind::Memory:
        return kGiB;
    case UnitKind::Bandwidth:
        return 1e9;
    case UnitKind::BitRate:
        return kGigabit;
    case UnitKind::FlopRate:
        return 1e12;
    case UnitKind::Time:
        return 1;
    case UnitKind::Share:
        return 0.01;
    }
    return 1;
}

template <class T>
Parsed<double> plain(const Parsed<T>& parsed)
{
    return parsed.map([](T quantity) { return quantity.value(); });
}

/// Bare numbers and arithmetic in Gb/s; anything with a unit as a bandwidth.
Parsed<double> parseBitRate(const std::string& text, double current)
{
    const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) && c != 'x' && c != 'X'; };
    if (std::ranges::none_of(text, isLetter))
        return parseNumber(text, current / kGigabit).map([](double v) { return v * kGigabit; });
    return plain(parseBandwidth(text, BytesPerSecond(current)));
}

Parsed<double> parseTokens(QString text, double current)
{
    text.remove(QStringLiteral("tokens"), Qt::CaseInsensitive);
    QString trimmed = text.trimmed();
    if (trimmed.endsWith(u'B') || trimmed.endsWith(u'b'))
        trimmed.replace(trimmed.size() - 1, 1, u'G');
    return parseNumber(trimmed.toStdString(), current);
}

Parsed<double> parseShare(QString text, double current)
{
    const bool percent = text.contains(u'%');
    text.remove(u'%');
    const auto number = parseNumber(text.trimmed().toStdString(), current * 100);
    // "0.95" is a share, "95" is per cent: nobody means less than one per cent.
    return number.map([percent](double v) { return percent || v > 1 ? v / 100 : v; });
}

Parsed<double> parseUnit(UnitKind kind, const QString& typed, double current)
{
    const QString text = withoutGroupMarks(typed);
    const std::string utf8 = text.toStdString();
    switch (kind) {
    case UnitKind::Number:
        return parseNumber(utf8, current);
    case UnitKind::Tokens:
        return parseTokens(text, current);
    case UnitKind::Memory:
        return plain(parseBytes(utf8, Bytes(current)));
    case UnitKind::Bandwidth:
        return plain(parseBandwidth(utf8, BytesPerSecond(current)));
    case UnitKind::BitRate:
        return parseBitRate(utf8, current);
    case UnitKind::FlopRate:
        return plain(parseFlopRate(utf8, FlopsPerSecond(current)));
    case UnitKind::Time:
        return plain(parseSeconds(utf8, Seconds(current)));
    case UnitKind::Share:
        return parseShare(text, current);
    }
    return parseNumber(utf8, current);
}

QString example(UnitKind kind)
{
    switch (kind) {
    case UnitKind::Number:
        return QStringLiteral("2.5");
    case UnitKind::Tokens:
        return QStringLiteral("300 B");
    case UnitKind::Memory:
        return QStringLiteral("80 GiB");
    case UnitKind::Bandwidth:
        return QStringLiteral("300 GB/s");
    case UnitKind::BitRate:
        return QStringLiteral("400 Gb/s");
    case UnitKind::FlopRate:
        return QStringLiteral("989 TFLOPS");
    case UnitKind::Time:
        return QStringLiteral("5 µs");
    case UnitKind::Share:
        return QStringLiteral("95 %");
    }
    return {};
}

/// "80.0 GiB" -> "80 GiB": an input is exact, its zeros say nothing.
QString withoutTrailingZeros(QString text)
{
    const qsizetype point = text.indexOf(u'.');
    if (point < 0)
        return text;
    qsizetype end = point + 1;
    while (end < text.size() && text[end].isDigit())
        ++end;
    qsizetype keep = end;
    while (text[keep - 1] == u'0')
        --keep;
    if (keep - 1 == point)
        --keep;
    return text.remove(keep, end - keep);
}

QString figures(UnitKind kind, double value)
{
    switch (kind) {
    case UnitKind::Number:
        return QString::fromStdString(formatNumber(value));
    case UnitKind::Tokens:
        return countText(value);
    case UnitKind::Memory:
        return QString::fromStdString(format(Bytes(value)));
    case UnitKind::Bandwidth:
        return QString::fromStdString(format(BytesPerSecond(value)));
    case UnitKind::BitRate:
        return QString::fromStdString(formatNumber(value / kGigabit)) + QStringLiteral(" Gb/s");
    case UnitKind::FlopRate:
        return QString::fromStdString(format(FlopsPerSecond(value)));
    case UnitKind::Time:
        return QString::fromStdString(format(Seconds(value)));
    case UnitKind::Share:
        return QString::fromStdString(formatShare(value));
    }
    return {};
}

} // namespace

QString unitText(UnitKind kind, double value)
{
    const QString rounded = withoutTrailingZeros(figures(kind, value));
    const Parsed<double> read = parseUnit(kind, rounded, 0);
    constexpr double kSame = 1e-9;
    if (!read || *read == 0 || std::abs(*read - value) <= kSame * std::abs(value))
        return rounded;
    // An input is exact: what three figures cannot say gets as many as were meant.
    qsizetype end = 0;
    while (end < rounded.size() && (rounded[end].isDigit() || rounded[end] == u'.'))
        ++end;
    constexpr int kInputFigures = 6;
    const QString exact = QString::number(rounded.left(end).toDouble() * (value / *read), 'g', kInputFigures);
    return end == 0 || exact.contains(u'e') ? rounded : exact + rounded.mid(end);
}

UnitField::UnitField(UnitKind kind, QWidget* parent)
    : EntryField(parent)
    , m_kind(kind)
{
    refresh(true);
}

void UnitField::setValue(double value)
{
    const bool changed = value != m_value;
    m_value = value;
    refresh(changed && !(hasFocus() && isModified()));
}

void UnitField::setRange(double minimum, double maximum)
{
    m_minimum = minimum;
    m_maximum = maximum;
}

void UnitField::setZeroText(const QString& text)
{
    m_zeroText = text;
    refresh(false);
}

QString UnitField::shownText() const
{
    return m_value == 0 && !m_zeroText.isEmpty() ? m_zeroText : unitText(m_kind, m_value);
}

QString UnitField::take(const QString& text)
{
    if (!m_zeroText.isEmpty() && m_minimum <= 0 && text.trimmed().isEmpty()) {
        change(0);
        return {};
    }
    const Parsed<double> parsed = parseUnit(m_kind, text, m_value);
    if (!parsed || !std::isfinite(*parsed))
        return tr("“%1” cannot be read here. Try %2.").arg(text.trimmed(), example(m_kind));
    if (*parsed < m_minimum || *parsed > m_maximum)
        return tr("Give a value from %1 to %2.").arg(unitText(m_kind, m_minimum), unitText(m_kind, m_maximum));
    change(*parsed);
    return {};
}

void UnitField::step(int steps, Step size)
{
    if (size == Step::Coarse) {
        change(std::clamp(m_value * std::exp2(steps), m_minimum, m_maximum));
        return;
    }
    // One unit of the second significant figure (the third with Shift), on the unit that is shown: 300 GB/s -> 310
    // GB/s.
    const double unit = bareUnit(m_kind);
    const double shown = m_value / unit;
    const double decade = shown > 0 ? std::floor(std::log10(shown) + 1e-9) : 0;
    const double grid = std::pow(10.0, decade - (size == Step::Fine ? 2 : 1));
    const double cell = steps > 0 ? std::floor(shown / grid + 1e-6) : std::ceil(shown / grid - 1e-6);
    change(std::clamp((cell + steps) * grid * unit, m_minimum, m_maximum));
}

void UnitField::change(double value)
{
    if (value == m_value)
        return;
    m_value = value;
    Q_EMIT valueChanged(value);
}

} // namespace stratoplan::widgets
