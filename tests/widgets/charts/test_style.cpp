// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/charts/qt_messages.h"
#include "widgets/style/icons.h"
#include "widgets/style/system_theme.h"
#include "widgets/style/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSlider>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <utility>

using namespace stratoplan::widgets;

namespace {

QLayout* fields()
{
    auto* form = new QFormLayout;
    form->addRow(QStringLiteral("Sequence"), new QLineEdit(QStringLiteral("2,048")));
    auto* disabled = new QLineEdit(QStringLiteral("disabled"));
    disabled->setEnabled(false);
    form->addRow(QStringLiteral("Locked"), disabled);
    auto* combo = new QComboBox;
    combo->addItems({QStringLiteral("bf16, fp32 gradients"), QStringLiteral("fp8")});
    form->addRow(QStringLiteral("Precision"), combo);
    auto* spin = new QSpinBox;
    spin->setRange(1, 99);
    form->addRow(QStringLiteral("Micro-batch"), spin);
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(40);
    form->addRow(QStringLiteral("Tensor"), slider);
    auto* check = new QCheckBox(QStringLiteral("Sequence parallelism"));
    check->setChecked(true);
    form->addRow(QString(), check);
    form->addRow(QString(), new QCheckBox(QStringLiteral("Timing pass")));
    auto* radio = new QRadioButton(QStringLiteral("Selective"));
    radio->setChecked(true);
    form->addRow(QString(), radio);
    auto* progress = new QProgressBar;
    progress->setValue(60);
    progress->setTextVisible(false);
    form->addRow(QString(), progress);
    auto* scroll = new QScrollBar(Qt::Horizontal);
    scroll->setValue(30);
    form->addRow(QString(), scroll);
    return form;
}

QLayout* pushButtons()
{
    auto* buttons = new QHBoxLayout;
    auto* primary = new QPushButton(QStringLiteral("Find the best"));
    primary->setProperty("primary", true);
    buttons->addWidget(primary);
    buttons->addWidget(new QPushButton(QStringLiteral("Show rule")));
    auto* off = new QPushButton(icon(QStringLiteral("export")), QStringLiteral("Export"));
    off->setEnabled(false);
    buttons->addWidget(off);
    return buttons;
}

QLayout* allIcons()
{
    auto* icons = new QGridLayout;
    int i = 0;
    for (const QString& name : iconNames()) {
        auto* button = new QToolButton;
        button->setIcon(icon(name));
        button->setIconSize(QSize(24, 24));
        button->setAutoRaise(true);
        button->setCheckable(true);
        button->setChecked(i == 3);
        button->setToolTip(name);
        icons->addWidget(button, i / 11, i % 11);
        ++i;
    }
    return icons;
}

// One of each control, as a picture for people and as a body for the tests.
std::unique_ptr<QWidget> controls()
{
    auto page = std::make_unique<QWidget>();
    auto* all = new QVBoxLayout(page.get());
    auto* menus = new QMenuBar;
    for (const char* name : {"&File", "&Edit", "&View"})
        menus->addMenu(QString::fromLatin1(name))->addAction(QStringLiteral("Act"));
    all->setMenuBar(menus);
    auto* tabs = new QTabBar;
    for (const char* name : {"Build", "Explore", "Compare"})
        tabs->addTab(QString::fromLatin1(name));
    tabs->setCurrentIndex(1);
    all->addWidget(tabs);
    auto* title = new QLabel(QStringLiteral("Step time"));
    setTextRole(*title, TextRole::Secondary);
    all->addWidget(title);
    auto* value = new QLabel(QStringLiteral("9.84 s"));
    setTextRole(*value, TextRole::Value);
    all->addWidget(value);
    for (QLayout* each : {fields(), pushButtons(), allIcons()})
        all->addLayout(each);
    return page;
}

} // namespace

class TestStyle : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { stratoplan::test::collectQtMessages(); }
    void cleanup()
    {
        const QStringList messages = std::exchange(stratoplan::test::qtMessages(), {});
        QVERIFY2(messages.isEmpty(), qPrintable(messages.join(u'\n')));
    }
    void systemThemeIsKept();
    void paletteFollowsTheme_data();
    void paletteFollowsTheme();
    void paletteChangeReachesWidgets();
    void iconsFollowTheme();
    void everyIconDraws();
    void disabledIconIsPale();
    void scrollBarThumbCoversRange();
    void pictures_data() { paletteFollowsTheme_data(); }
    void pictures();
};

void TestStyle::systemThemeIsKept()
{
    const ThemeKind first = systemTheme();
    applyTheme(*qApp, ThemeKind::Dark);
    QCOMPARE(systemTheme(), first);
}

void TestStyle::paletteFollowsTheme_data()
{
    QTest::addColumn<ThemeKind>("kind");
    QTest::newRow("light") << ThemeKind::Light;
    QTest::newRow("dark") << ThemeKind::Dark;
    QTest::newRow("high-contrast") << ThemeKind::HighContrast;
}

void TestStyle::paletteFollowsTheme()
{
    QFETCH(ThemeKind, kind);
    applyTheme(*qApp, kind);
    QCOMPARE(currentTheme(), kind);
    const QPalette p = QApplication::palette();
    const Tokens& t = tokens(kind);
    QCOMPARE(p.color(QPalette::Window), t.window);
    QCOMPARE(p.color(QPalette::Disabled, QPalette::Text), t.disabledText);
    for (const auto role : {QPalette::WindowText, QPalette::PlaceholderText, QPalette::Link})
        QVERIFY(contrastRatio(p.color(role), p.color(QPalette::Window)) >= 4.5);
    QVERIFY(contrastRatio(p.color(QPalette::Text), p.color(QPalette::Base)) >= 4.5);
    QVERIFY(contrastRatio(p.color(QPalette::HighlightedText), p.color(QPalette::Highlight)) >= 4.5);
    QVERIFY(contrastRatio(p.color(QPalette::ButtonText), p.color(QPalette::Button)) >= 4.5);
    QVERIFY(contrastRatio(p.color(QPalette::ToolTipText), p.color(QPalette::ToolTipBase)) >= 4.5);
}

void TestStyle::paletteChangeReachesWidgets()
{
    applyTheme(*qApp, ThemeKind::Light);
    struct Counter : QWidget {
        int changes = 0;
        void changeEvent(QEvent* event) override { changes += event->type() == QEvent::PaletteChange; }
    } widget;
    widget.show();
    widget.changes = 0;
    applyTheme(*qApp, ThemeKind::Dark);
    QCoreApplication::processEvents();
    QVERIFY(widget.changes >= 1);
}

void TestStyle::iconsFollowTheme()
{
    applyTheme(*qApp, ThemeKind::Light);
    const QIcon undo = icon(QStringLiteral("undo"));
    const QImage light = undo.pixmap(QSize(24, 24), 1.0).toImage();
    applyTheme(*qApp, ThemeKind::Dark);
    const QImage dark = undo.pixmap(QSize(24, 24), 1.0).toImage();
    QVERIFY(light != dark);
    QCOMPARE(undo.pixmap(QSize(24, 24), 2.0).size(), QSize(48, 48));
}

void TestStyle::everyIconDraws()
{
    QVERIFY(iconNames().size() >= 30);
    for (const QString& name : iconNames()) {
        const QImage image = icon(name).pixmap(QSize(24, 24), 1.0).toImage().convertToFormat(QImage::Format_ARGB32);
        int inked = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                inked += qAlpha(image.pixel(x, y)) > 100;
        }
        QVERIFY2(inked >= 6, qPrintable(name));
        QVERIFY2(inked < 24 * 24 * 3 / 4, qPrintable(name));
    }
}

void TestStyle::disabledIconIsPale()
{
    applyTheme(*qApp, ThemeKind::Light);
    const QIcon i = icon(QStringLiteral("save"));
    QVERIFY(i.pixmap(QSize(24, 24), 1.0, QIcon::Disabled).toImage() != i.pixmap(QSize(24, 24), 1.0).toImage());
}

void TestStyle::scrollBarThumbCoversRange()
{
    applyTheme(*qApp, ThemeKind::Light);
    QScrollBar bar(Qt::Vertical);
    bar.resize(12, 200);
    bar.setRange(0, 100);
    bar.setPageStep(100);
    bar.show();
    QStyleOptionSlider option;
    option.initFrom(&bar);
    option.orientation = Qt::Vertical;
    option.minimum = 0;
    option.maximum = 100;
    option.pageStep = 100;
    option.sliderPosition = 100;
    const QRect thumb = bar.style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, &bar);
    QCOMPARE(thumb.height(), 100);
    QCOMPARE(thumb.top(), 100);
    QTest::mousePress(&bar, Qt::LeftButton, {}, QPoint(6, 20));
    QTest::mouseMove(&bar, QPoint(6, 120));
    QTest::mouseRelease(&bar, Qt::LeftButton, {}, QPoint(6, 120));
    QVERIFY(bar.value() > 50);
}

void TestStyle::pictures()
{
    QFETCH(ThemeKind, kind);
    applyTheme(*qApp, kind);
    const auto page = controls();
    page->resize(420, 640);
    page->show();
    QVERIFY(QTest::qWaitForWindowExposed(page.get()));
    const QDir out(QCoreApplication::applicationDirPath() + QStringLiteral("/../pictures"));
    QVERIFY(out.mkpath(QStringLiteral(".")));
    QVERIFY(page->grab().save(
        out.filePath(QStringLiteral("style-%1.png").arg(QString::fromLatin1(QTest::currentDataTag())))));
}

QTEST_MAIN(TestStyle)
#include "test_style.moc"
