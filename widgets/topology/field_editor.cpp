// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/field_editor.h"

#include "widgets/panels/catalog_items.h"
#include "widgets/panels/choice_field.h"
#include "widgets/panels/count_field.h"
#include "widgets/panels/link_field.h"
#include "widgets/panels/text_field.h"
#include "widgets/panels/torus_field.h"
#include "widgets/presentation/translate.h"
#include "widgets/topology/topology_text.h"

#include <memory>

namespace stratoplan::widgets {

std::vector<PickerItem> elementItems(const cluster::Cluster& cluster)
{
    std::vector<PickerItem> items;
    for (const cluster::NodeGroup& group : cluster.nodes)
        items.push_back({fromText(group.id), fromText(elementName(cluster, group.id)), tr("Nodes"),
            tr("%1 nodes").arg(groupedNumber(group.count)), {}});
    for (const cluster::SwitchGroup& group : cluster.switches)
        items.push_back({fromText(group.id), fromText(elementName(cluster, group.id)),
            tr("%1 switches").arg(tierName(group.tier)), tr("%1 switches").arg(groupedNumber(group.count)), {}});
    return items;
}

namespace {

std::vector<PickerItem> itemsOf(
    const ClusterField& field, const catalog::Catalog& catalog, const cluster::Cluster& cluster)
{
    if (field.kind == FieldKind::Accelerator)
        return acceleratorItems(catalog);
    if (field.kind == FieldKind::End)
        return elementItems(cluster);
    std::vector<PickerItem> items = linkItems(catalog, field.isNetwork);
    if (!field.zeroText.isEmpty())
        items.insert(items.begin(), {{}, field.zeroText, {}, {}, {}});
    return items;
}

QLineEdit* makeNameField(const ClusterField& field, QWidget* parent, const FieldEdited& edited)
{
    auto* name = new QLineEdit(parent);
    name->setMaxLength(kMostOfName);
    QObject::connect(name, &QLineEdit::editingFinished, name, [name, &field, edited] {
        const bool isTyped = name->isModified();
        name->setModified(false); // leaving the field after Enter says nothing new
        if (isTyped && !keptName(name->text()).isEmpty())
            edited(field, keptName(name->text()));
    });
    return name;
}

TextField* makeRackField(const ClusterField& field, QWidget* parent, const FieldEdited& edited)
{
    auto* rack = new TextField(tr("none"), parent);
    rack->setMaxLength(kMostOfName);
    QObject::connect(
        rack, &TextField::valueChanged, rack, [&field, edited](const QString& value) { edited(field, value); });
    return rack;
}

CountField* makeCountField(const ClusterField& field, QWidget* parent, const FieldEdited& edited)
{
    auto* count = new CountField(parent);
    count->setRange(static_cast<int>(field.least), static_cast<int>(field.most));
    QObject::connect(count, &CountField::valueChanged, count, [&field, edited](int value) { edited(field, value); });
    return count;
}

TorusField* makeTorusField(const ClusterField& field, QWidget* parent, const FieldEdited& edited)
{
    auto* torus = new TorusField(parent);
    QObject::connect(torus, &TorusField::axesChanged, torus,
        [&field, edited](const std::vector<int>& axes) { edited(field, QVariantList(axes.begin(), axes.end())); });
    return torus;
}

void setUp(UnitField& amount, const ClusterField& field, const FieldEdited& edited)
{
    amount.setRange(field.least, field.most);
    QObject::connect(
        &amount, &UnitField::valueChanged, &amount, [&field, edited](double value) { edited(field, value); });
}

void setUp(Picker& picker, const ClusterField& field, std::vector<PickerItem> items, const FieldEdited& edited)
{
    picker.setItems(std::move(items));
    QObject::connect(&picker, &Picker::picked, &picker, [&field, edited](const QString& id) { edited(field, id); });
}

ChoiceField* makeChoiceField(const ClusterField& field, QWidget* parent, const FieldEdited& edited)
{
    auto* choices = new ChoiceField(parent);
    for (const FieldChoice& choice : field.choices)
        choices->addChoice(choice.text, choice.value, choice.explanation);
    QObject::connect(choices, &ChoiceField::keyChosen, choices, [&field, edited](int value) { edited(field, value); });
    return choices;
}

LinkField* makeLinkField(
    const ClusterField& field, const catalog::Catalog& catalog, QWidget* parent, const FieldEdited& edited)
{
    auto* link = new LinkField(field.unit, parent);
    link->setNames(field.label, tr("%1: bandwidth").arg(field.label), field.explanation);
    setUp(link->picker(), field, itemsOf(field, catalog, {}), edited);
    setUp(link->rate(), field, edited);
    return link;
}

/// As a copied cell has it: its bandwidth stands in the next one.
QString unmarked(const ClusterField& field, const QString& text)
{
    return field.kind == FieldKind::Link && text.endsWith(kEditedMark) ? text.chopped(kEditedMark.size()) : text;
}

/// Of what is chosen by its name.
tl::expected<QVariant, QString> readChoice(const std::vector<PickerItem>& items, const QString& text)
{
    for (const PickerItem& item : items) {
        if (text.compare(item.text, Qt::CaseInsensitive) == 0 || text.compare(item.id, Qt::CaseInsensitive) == 0
            || text.compare(shortLinkName(item.text), Qt::CaseInsensitive) == 0)
            return QVariant(item.id);
    }
    return tl::unexpected(tr("“%1” is none of the choices here.").arg(text));
}

QVariantList valuesOf(const ClusterField& field)
{
    QVariantList values;
    for (const FieldChoice& choice : field.choices)
        values << choice.value;
    return values;
}

/// Of what is one of a few words.
tl::expected<QVariant, QString> readWord(const ClusterField& field, const QVariantList& values, const QString& text)
{
    for (const QVariant& value : values) {
        if (text.compare(valueText(field, value), Qt::CaseInsensitive) == 0)
            return value;
    }
    return tl::unexpected(tr("“%1” is none of the choices here.").arg(text));
}

} // namespace

QWidget* makeCellEditor(const ClusterField& field, const catalog::Catalog& catalog, const cluster::Cluster& cluster,
    QWidget* parent, const FieldEdited& edited)
{
    switch (field.kind) {
    case FieldKind::Name:
        return makeNameField(field, parent, edited);
    case FieldKind::Rack:
        return makeRackField(field, parent, edited);
    case FieldKind::Count:
        return makeCountField(field, parent, edited);
    case FieldKind::Amount: {
        auto* amount = new UnitField(field.unit, parent);
        amount->setZeroText(field.zeroText);
        setUp(*amount, field, edited);
        return amount;
    }
    case FieldKind::Accelerator:
    case FieldKind::Link:
    case FieldKind::End: {
        auto* picker = new Picker(Picker::Look::Field, parent);
        setUp(*picker, field, itemsOf(field, catalog, cluster), edited);
        return picker;
    }
    case FieldKind::Choice:
        return makeChoiceField(field, parent, edited);
    case FieldKind::Toggle: {
        auto* toggle = new ToggleSwitch(parent);
        QObject::connect(toggle, &ToggleSwitch::clicked, toggle, [&field, edited](bool on) { edited(field, on); });
        return toggle;
    }
    case FieldKind::Torus:
        return makeTorusField(field, parent, edited);
    case FieldKind::Total:
        break;
    }
    return nullptr;
}

void showCellValue(QWidget& editor, const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row)
{
    const QVariant value = field.value(cluster, row);
    if (auto* torus = qobject_cast<TorusField*>(&editor))
        torus->setAxes(axesOf(value));
    else if (auto* count = qobject_cast<CountField*>(&editor))
        count->setValue(value.toInt());
    else if (auto* amount = qobject_cast<UnitField*>(&editor))
        amount->setValue(value.toDouble());
    else if (auto* picker = qobject_cast<Picker*>(&editor))
        picker->setCurrent(value.toString(), fieldText(field, catalog, cluster, row));
    else if (auto* choices = qobject_cast<ChoiceField*>(&editor))
        choices->setKey(value.toInt());
    else if (auto* toggle = qobject_cast<ToggleSwitch*>(&editor))
        toggle->setOn(value.toBool());
    else if (auto* rack = qobject_cast<TextField*>(&editor))
        rack->setValue(value.toString());
    else if (auto* name = qobject_cast<QLineEdit*>(&editor))
        name->setText(value.toString());
}

QWidget* makeRowEditor(
    const ClusterField& field, const catalog::Catalog& catalog, QWidget* parent, const FieldEdited& edited)
{
    if (field.kind == FieldKind::Link)
        return makeLinkField(field, catalog, parent, edited);
    const bool isRate = field.link != nullptr; // it stands in the row of its link
    return isRate || field.kind == FieldKind::End ? nullptr : makeCellEditor(field, catalog, {}, parent, edited);
}

void showRowValue(QWidget& editor, const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row)
{
    auto* linkField = qobject_cast<LinkField*>(&editor);
    if (!linkField)
        showCellValue(editor, field, catalog, cluster, row);
    else if (const cluster::Link* link = field.link(cluster, row))
        linkField->setLink(*link, isEdited(catalog, *link));
    else
        linkField->setNone(field.zeroText);
}

tl::expected<QVariant, QString> readCell(const ClusterField& field, const catalog::Catalog& catalog,
    const cluster::Cluster& cluster, std::size_t row, const QString& text)
{
    if (field.kind == FieldKind::Amount && !field.zeroText.isEmpty() && text == field.zeroText)
        return QVariant(0.0);
    QVariant read;
    const std::unique_ptr<QWidget> editor(makeCellEditor(
        field, catalog, cluster, nullptr, [&read](const ClusterField&, const QVariant& value) { read = value; }));
    showCellValue(*editor, field, catalog, cluster, row);
    if (auto* entry = qobject_cast<EntryField*>(editor.get())) {
        entry->setText(text);
        if (!entry->commit())
            return tl::unexpected(entry->error());
        return read.isValid() ? read : field.value(cluster, row);
    }
    if (const auto* picker = qobject_cast<Picker*>(editor.get()))
        return text == picker->text() ? field.value(cluster, row) : readChoice(picker->items(), unmarked(field, text));
    if (field.kind == FieldKind::Choice)
        return readWord(field, valuesOf(field), text);
    if (field.kind == FieldKind::Toggle)
        return readWord(field, {false, true}, text);
    return QVariant(keptName(text));
}

} // namespace stratoplan::widgets
