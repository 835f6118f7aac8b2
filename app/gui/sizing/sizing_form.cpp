// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/sizing/sizing_form.h"

#include "app/gui/sizing/kinds_list.h"
#include "app/gui/sizing/sizing_texts.h"
#include "core/capacity/run_length.h"
#include "widgets/panels/day_field.h"
#include "widgets/panels/field_row.h"
#include "widgets/panels/unit_field.h"
#include "widgets/presentation/text.h"
#include "widgets/style/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stratoplan::gui {

namespace {

using widgets::ToneLabel;

constexpr double kFirstDays = 60; ///< that are asked about until others are typed
constexpr double kMostDays = 1e6;
constexpr double kMostMoney = 1e15;
constexpr double kMostPrice = 1e9; ///< as in a project
constexpr double kMostTokens = 1e18;
constexpr int kLongestName = 150; ///< pixels; the whole name is a tool tip

} // namespace

SizingForm::SizingForm(const catalog::Catalog& catalog)
    : m_catalog(catalog)
    , m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(widgets::kRowGap);
    makeRun();
    makeMoney();
    makeDays(catalog);
    m_note = new ToneLabel(ToneLabel::Tone::Secondary, this);
    m_note->setWordWrap(true);
    m_column->addWidget(m_note);
    connect(&m_kinds->kinds(), &KindsModel::checkedChanged, this, [this] {
        makePrices();
        refresh();
    });
    makePrices();
    refresh();
}

void SizingForm::addHeading(const QString& text)
{
    if (m_column->count() > 0)
        m_column->addSpacing(widgets::kGrid);
    auto* heading = new QLabel(text, this);
    heading->setWordWrap(true);
    setTextRole(*heading, widgets::TextRole::Section);
    m_column->addWidget(heading);
}

widgets::UnitField& SizingForm::addAmount(const QString& label, const QString& explanation, const QString& name)
{
    auto* row = new widgets::FieldRow(label, explanation, this);
    auto* field = new widgets::UnitField(widgets::UnitKind::Number, row);
    row->add(field, name);
    m_column->addWidget(row);
    connect(field, &widgets::EntryField::errorChanged, this, &SizingForm::refresh);
    return *field;
}

void SizingForm::makeRun()
{
    addHeading(tr("The run"));
    auto* budget = new widgets::FieldRow(
        tr("Token budget"), tr("Tokens that the whole run shall see, in the plan as here."), this);
    m_tokens = new widgets::UnitField(widgets::UnitKind::Tokens, budget);
    m_tokens->setZeroText(tr("not given"));
    m_tokens->setSuffix(tr("tokens"));
    m_tokens->setRange(0, kMostTokens);
    budget->add(m_tokens, tr("Token budget"));
    m_column->addWidget(budget);
    connect(m_tokens, &widgets::EntryField::errorChanged, this, &SizingForm::refresh);
    connect(m_tokens, &widgets::UnitField::valueChanged, this, [this](double tokens) {
        edit(tr("Set the token budget"), [&](plan::CapacityInputs& inputs) {
            inputs.tokens = tokens;
            inputs.steps = inputs.computeFlops = 0;
        });
    });
    auto* start = new widgets::FieldRow(
        tr("Start"), tr("First day of the run; the day on which each is done follows from it."), this);
    m_start = new widgets::DayField(start);
    start->add(m_start, tr("First day of the run"));
    m_column->addWidget(start);
    connect(m_start, &widgets::EntryField::errorChanged, this, &SizingForm::refresh);
    connect(m_start, &widgets::DayField::dayChanged, this, [this](const QString& day) {
        edit(tr("Set the start"), [&](plan::CapacityInputs& inputs) { inputs.start = day.toStdString(); });
    });
    m_planRun = new ToneLabel(ToneLabel::Tone::Normal, this);
    m_planRun->setWordWrap(true);
    m_column->addWidget(m_planRun);
}

void SizingForm::makeMoney()
{
    addHeading(tr("Tokens for so much money"));
    m_money = &addAmount(tr("Money"), tr("What may be spent on the plan as it is: 5M, 250k."), tr("Money"));
    m_money->setZeroText(tr("not given"));
    m_money->setRange(0, kMostMoney);
    connect(m_money, &widgets::UnitField::valueChanged, this, &SizingForm::moneyChanged);
    m_paid = new ToneLabel(ToneLabel::Tone::Normal, this);
    m_paid->setWordWrap(true);
    m_column->addWidget(m_paid);
    m_usePaid = new QPushButton(tr("Use as the budget"), this);
    m_usePaid->setAutoDefault(false);
    m_usePaid->setToolTip(tr("These tokens become the token budget of the plan, as one step that can be undone"));
    m_column->addWidget(m_usePaid, 0, Qt::AlignLeft);
    connect(m_usePaid, &QPushButton::clicked, this, [this] {
        edit(tr("Set the token budget"), [this](plan::CapacityInputs& inputs) {
            inputs.tokens = m_paidTokens;
            inputs.steps = inputs.computeFlops = 0;
        });
    });
    setMoneyAnswer({}, 0);
}

void SizingForm::makeDays(const catalog::Catalog& catalog)
{
    addHeading(tr("Accelerators for so many days"));
    m_days = &addAmount(tr("Days"), tr("Wall time that the run may take, in the middle of its range."), tr("Days"));
    m_days->setSuffix(tr("days"));
    m_days->setRange(1e-3, kMostDays);
    m_days->setValue(kFirstDays);
    connect(m_days, &widgets::UnitField::valueChanged, this, &SizingForm::refresh);
    m_kinds = new KindsList(catalog, this);
    m_column->addWidget(m_kinds);
    m_column->addSpacing(widgets::kGrid);
    m_priceHeading = new QLabel(this);
    m_priceHeading->setWordWrap(true);
    setTextRole(*m_priceHeading, widgets::TextRole::Section);
    m_column->addWidget(m_priceHeading);
    m_prices = new QVBoxLayout;
    m_prices->setContentsMargins(0, 0, 0, 0);
    m_prices->setSpacing(widgets::kRowGap);
    m_column->addLayout(m_prices);
}

void SizingForm::setProject(const plan::Project& project)
{
    if (project.capacity.currency != m_project.capacity.currency)
        m_typed.clear(); // they are in the other one
    m_project.plan = project.plan;
    m_project.search = project.search;
    m_project.capacity = project.capacity;
    const QString currency = widgets::text(project.capacity.currency);
    const bool isOwned = project.capacity.purchase == plan::Purchase::Owned;
    m_tokens->setValue(capacity::budgetTokens(project.plan, project.capacity));
    m_start->setDay(widgets::text(project.capacity.start));
    m_money->setSuffix(currency);
    m_priceHeading->setText(isOwned ? tr("Accelerators are owned: all kinds at the price in the plan")
                                    : tr("Price of an accelerator-hour, %1").arg(currency));
    m_kinds->kinds().setPlan(project.plan);
    showPrices();
    refresh();
}

void SizingForm::setPlanRun(const QString& sentence)
{
    m_planRun->setText(sentence);
}

void SizingForm::setMoneyAnswer(const QString& sentence, double tokens)
{
    m_paidTokens = tokens;
    m_paid->setText(sentence);
    m_paid->setVisible(!sentence.isEmpty());
    m_usePaid->setVisible(!sentence.isEmpty());
    m_usePaid->setEnabled(tokens > 0);
}

void SizingForm::forgetTyped()
{
    m_typed.clear();
    m_days->setValue(kFirstDays);
    m_money->setValue(0);
    setMoneyAnswer({}, 0);
    m_kinds->filterLine().clear();
    m_kinds->kinds().forgetChecked();
}

void SizingForm::makePrices()
{
    for (const PriceRow& row : m_rows)
        delete row.row;
    m_rows.clear();
    for (const KindsModel::Kind& kind : m_kinds->kinds().checked())
        m_rows.push_back(makePrice(kind));
    QWidget* before = &m_kinds->table();
    for (const PriceRow& row : m_rows) {
        setTabOrder(before, row.field);
        before = row.field;
    }
    widgets::alignLabels(*this);
    showPrices();
}

SizingForm::PriceRow SizingForm::makePrice(const KindsModel::Kind& kind)
{
    PriceRow row{kind, nullptr, nullptr};
    row.row = new widgets::FieldRow(fontMetrics().elidedText(kind.name, Qt::ElideMiddle, kLongestName), {}, this);
    row.field = new widgets::UnitField(widgets::UnitKind::Number, row.row);
    row.field->setRange(0, kMostPrice);
    row.row->add(row.field, tr("Price of an accelerator-hour, %1").arg(kind.name));
    m_prices->addWidget(row.row);
    const std::string id = kind.id;
    connect(row.field, &widgets::UnitField::valueChanged, this, [this, id](double price) {
        m_typed[id] = price;
        refresh();
    });
    connect(row.field, &widgets::EntryField::errorChanged, this, &SizingForm::refresh);
    connect(row.row, &widgets::FieldRow::defaultAsked, this, [this, id] {
        m_typed.erase(id);
        showPrices();
        refresh();
    });
    return row;
}

void SizingForm::showPrices()
{
    for (const PriceRow& row : m_rows)
        showPrice(row);
}

void SizingForm::showPrice(const PriceRow& row)
{
    const UsualPrice usual = usualPrice(m_project, m_catalog, row.kind.id);
    const auto typed = m_typed.find(row.kind.id);
    row.field->setZeroText(usual.text);
    row.field->setValue(typed == m_typed.end() ? 0 : typed->second);
    const QString tip = tr("%1, %2. %3").arg(row.kind.name, row.kind.detail, usual.source);
    row.row->label().setToolTip(tip);
    row.field->setToolTip(tip);
    row.row->setVisible(m_project.capacity.purchase != plan::Purchase::Owned);
}

session::SizingQuestion SizingForm::asked() const
{
    session::SizingQuestion question{m_days->value(), {}};
    for (const PriceRow& row : m_rows)
        question.kinds.push_back({row.kind.id, row.field->value()});
    return question;
}

QString SizingForm::wrong() const
{
    const auto isWrong = [](const widgets::EntryField* field) { return !field->error().isEmpty(); };
    if (isWrong(m_tokens) || isWrong(m_start) || isWrong(m_days)
        || std::ranges::any_of(m_rows, [&](const PriceRow& row) { return isWrong(row.field); }))
        return tr("Mend the field that is marked, or press Esc in it to go back.");
    if (!(m_tokens->value() > 0))
        return tr("Give a token budget, e.g. 15T.");
    if (m_rows.empty())
        return tr("Check at least one kind of nodes.");
    return {};
}

void SizingForm::refresh()
{
    const QString why = wrong();
    m_question.reset();
    if (why.isEmpty())
        m_question = asked();
    m_note->setTone(why.isEmpty() ? ToneLabel::Tone::Secondary : ToneLabel::Tone::Bad);
    m_note->setText(!why.isEmpty() ? why
            : m_rows.size() == 1
            ? tr("The fewest accelerators of %1 that are done within the days").arg(m_rows.front().kind.name)
            : tr("The fewest accelerators of each of %1 kinds that are done within the days").arg(m_rows.size()));
    Q_EMIT changed();
}

void SizingForm::edit(const QString& actionText, const std::function<void(plan::CapacityInputs&)>& change)
{
    plan::CapacityInputs inputs = m_project.capacity;
    change(inputs);
    if (inputs != m_project.capacity)
        Q_EMIT capacityEdited(inputs, actionText);
}

QString SizingForm::note() const
{
    return m_note->text();
}

double SizingForm::money() const
{
    return m_money->value();
}

QString SizingForm::planRun() const
{
    return m_planRun->text();
}

QString SizingForm::moneyAnswer() const
{
    return m_paid->text();
}

bool SizingForm::commit()
{
    widgets::EntryField* const field = widgets::commitFields(*this);
    if (field)
        field->setFocus();
    return !field;
}

} // namespace stratoplan::gui
