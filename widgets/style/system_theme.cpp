// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/system_theme.h"

#include <QApplication>
#include <QPalette>
#include <QPointer>
#include <QVariant>

#ifdef STRATOPLAN_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#endif

namespace stratoplan::widgets {

namespace {

ThemeKind themeOfPalette()
{
    const QPalette p = QGuiApplication::palette();
    const bool dark = p.color(QPalette::Window).lightness() < p.color(QPalette::WindowText).lightness();
    return dark ? ThemeKind::Dark : ThemeKind::Light;
}

#ifdef STRATOPLAN_DBUS
const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

/// -1 if it is no number.
int schemeOf(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    bool ok = false;
    const int scheme = value.toInt(&ok);
    return ok ? scheme : -1;
}

bool hasBus()
{
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS");
}

/// As GNOME, KDE and others publish it; -1 if nobody answers.
int portalColourScheme()
{
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    call << kGroup << kKey;
    constexpr int kTimeoutMs = 150; // start-up must not wait for a slow desktop
    const QDBusMessage reply = QDBusConnection::sessionBus().call(call, QDBus::Block, kTimeoutMs);
    return reply.type() != QDBusMessage::ReplyMessage || reply.arguments().isEmpty()
        ? -1
        : schemeOf(reply.arguments().constFirst());
}
#endif

} // namespace

#ifdef STRATOPLAN_DBUS
/// Hears the portal. A class of its own, so that nobody else needs Qt's D-Bus.
class PortalListener : public QObject {
    Q_OBJECT

public:
    explicit PortalListener(SystemTheme& theme)
        : QObject(&theme)
        , m_theme(theme)
    {
        QDBusConnection::sessionBus().connect(
            kService, kPath, kInterface, QStringLiteral("SettingChanged"), this, SLOT(settingChanged(QDBusMessage)));
    }

private Q_SLOTS:
    /// The message as a whole: a parameter of type QDBusVariant is unknown to Qt until something else has used one.
    void settingChanged(const QDBusMessage& message)
    {
        const QVariantList arguments = message.arguments();
        if (arguments.size() == 3 && arguments[0].toString() == kGroup && arguments[1].toString() == kKey)
            m_theme.setColourScheme(schemeOf(arguments[2]));
    }

private:
    SystemTheme& m_theme;
};
#endif

SystemTheme& SystemTheme::instance()
{
    static QPointer<SystemTheme> theme;
    if (!theme)
        theme = new SystemTheme(qApp);
    return *theme;
}

SystemTheme::SystemTheme(QObject* parent)
    : QObject(parent)
    , m_ofPlatform(themeOfPalette())
    , m_kind(m_ofPlatform)
{
    const QByteArray gtk = qgetenv("GTK_THEME").toLower();
    m_fixed = gtk.contains("highcontrast") || gtk.contains("dark");
    if (m_fixed) {
        m_kind = gtk.contains("highcontrast") ? ThemeKind::HighContrast : ThemeKind::Dark;
        return;
    }
#ifdef STRATOPLAN_DBUS
    if (!hasBus())
        return;
    setColourScheme(portalColourScheme());
    new PortalListener(*this);
#endif
}

void SystemTheme::setColourScheme(int scheme)
{
    const ThemeKind kind = scheme == 1 ? ThemeKind::Dark : scheme == 2 ? ThemeKind::Light : m_ofPlatform;
    if (m_fixed || kind == m_kind)
        return;
    m_kind = kind;
    Q_EMIT changed(kind);
}

} // namespace stratoplan::widgets

#ifdef STRATOPLAN_DBUS
#include "system_theme.moc"
#endif
