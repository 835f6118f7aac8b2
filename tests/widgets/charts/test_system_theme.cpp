// SPDX-License-Identifier: GPL-3.0-or-later
// The program hears the desktop change its colour scheme: the portal's signal on a bus of the test's own.
#include "widgets/style/system_theme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

using namespace stratoplan::widgets;

class TestSystemTheme : public QObject {
    Q_OBJECT

private:
    static void send(const QString& group, const QString& key, const QVariant& value)
    {
        QDBusMessage signal = QDBusMessage::createSignal(QStringLiteral("/org/freedesktop/portal/desktop"),
            QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("SettingChanged"));
        signal << group << key << QVariant::fromValue(QDBusVariant(value));
        QVERIFY(QDBusConnection(QStringLiteral("portal")).send(signal));
    }

    /// The bus learns what the program listens to while the first signals may pass already: says it until it is heard.
    static bool hears(uint scheme, ThemeKind kind)
    {
        return QTest::qWaitFor([&] {
            send(QStringLiteral("org.freedesktop.appearance"), QStringLiteral("color-scheme"), scheme);
            return systemTheme() == kind;
        });
    }

    QProcess m_bus;

private Q_SLOTS:
    void initTestCase()
    {
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (daemon.isEmpty())
            QSKIP("there is no dbus-daemon here");
        qunsetenv("GTK_THEME");
        m_bus.start(
            daemon, {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address")});
        QVERIFY(m_bus.waitForReadyRead());
        const QByteArray address = m_bus.readLine().trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address);
        QDBusConnection portal = QDBusConnection::connectToBus(QString::fromLatin1(address), QStringLiteral("portal"));
        QVERIFY(portal.registerService(QStringLiteral("org.freedesktop.portal.Desktop")));
    }

    void cleanupTestCase()
    {
        QDBusConnection::disconnectFromBus(QStringLiteral("portal"));
        m_bus.kill();
        m_bus.waitForFinished();
    }

    void theDesktopChangesItsMind()
    {
        const ThemeKind ofPlatform = systemTheme(); // nobody answers yet
        const QString group = QStringLiteral("org.freedesktop.appearance");
        const QString key = QStringLiteral("color-scheme");
        QSignalSpy changed(&SystemTheme::instance(), &SystemTheme::changed);
        QVERIFY(hears(1, ThemeKind::Dark));
        QVERIFY(hears(2, ThemeKind::Light));
        QVERIFY(changed.count() >= 1);
        send(group, QStringLiteral("accent-color"), 1u);
        send(QStringLiteral("org.gnome.desktop.interface"), key, 1u);
        send(group, key, 2u);
        QTest::qWait(100);
        QCOMPARE(systemTheme(), ThemeKind::Light); // other settings are no business of it
        QVERIFY(hears(0, ofPlatform));
    }
};

QTEST_MAIN(TestSystemTheme)
#include "test_system_theme.moc"
