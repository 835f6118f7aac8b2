// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/study_worker.h"

#include <QDir>

#include <filesystem>
#include <utility>

namespace stratoplan::session {

StudyWorker::StudyWorker(QObject* parent)
    : QObject(parent)
{
    m_reader.emplace([this](const Request& request, const std::stop_token& stop) { run(request, stop); });
}

StudyWorker::~StudyWorker() = default;

void StudyWorker::read(const QStringList& files)
{
    m_reader->overtake({files, ++m_number});
}

void StudyWorker::run(const Request& request, const std::stop_token& stop)
{
    auto opened = std::make_shared<OpenedStudy>();
    opened->files = request.files;
    std::vector<exchange::StudyText> texts;
    if (request.files.isEmpty())
        texts.push_back(exchange::shippedStudyAnswers());
    for (const QString& file : request.files) {
        if (stop.stop_requested())
            return;
        auto text = exchange::readFile(std::filesystem::path(file.toStdU16String()));
        if (text)
            texts.push_back({file.toStdString(), std::move(*text)});
        else
            opened->faults.push_back(
                {exchange::StudyFault::Code::Unreadable, file.toStdString(), 0, text.error().found});
    }
    exchange::StudyReading reading = readStudyAnswers(texts, stop);
    if (stop.stop_requested())
        return; // overtaken
    opened->faulty = std::int64_t(opened->faults.size()) + reading.faulty;
    opened->faults.insert(opened->faults.end(), std::make_move_iterator(reading.faults.begin()),
        std::make_move_iterator(reading.faults.end()));
    opened->answers = std::make_shared<const exchange::StudyAnswers>(std::move(reading.answers));
    m_outbox.post(&Letters::answer, {std::move(opened), request.number});
}

void StudyWorker::deliver()
{
    const auto [answer] = m_outbox.take();
    if (!answer || answer->number != m_number)
        return;
    m_delivered = answer->number;
    Q_EMIT studyRead(answer->study);
}

} // namespace stratoplan::session
