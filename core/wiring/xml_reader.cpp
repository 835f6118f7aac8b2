// SPDX-License-Identifier: Apache-2.0
#include "core/wiring/xml_reader.h"

#include "core/catalog/quote.h"
#include "core/units/reading.h"

#include <expat.h>
#include <memory>

namespace stratoplan::wiring {
namespace {

constexpr int kMostDepth = 64;
constexpr int kMostElements = 200'000;

struct Reading {
    XML_Parser parser = nullptr;
    const XmlEvents* events = nullptr;
    int depth = 0;
    int elements = 0;
    std::optional<Fault> fault = {};

    void stop(std::string found, std::string expected)
    {
        stop(Fault{int(XML_GetCurrentLineNumber(parser)), int(XML_GetCurrentColumnNumber(parser)) + 1, std::move(found),
            std::move(expected)});
    }
    void stop(Fault why)
    {
        if (!fault)
            fault = std::move(why);
        XML_StopParser(parser, XML_FALSE);
    }
};

void openElement(void* data, const XML_Char* name, const XML_Char** attributes)
{
    auto& reading = *static_cast<Reading*>(data);
    if (reading.fault)
        return;
    if (++reading.depth > kMostDepth)
        return reading.stop(reading::moreThan(kMostDepth, "levels of nesting"), reading::atMost(kMostDepth));
    if (++reading.elements > kMostElements)
        return reading.stop(reading::moreThan(kMostElements, "elements"), reading::atMost(kMostElements));
    XmlElement element{
        name, {}, int(XML_GetCurrentLineNumber(reading.parser)), int(XML_GetCurrentColumnNumber(reading.parser)) + 1};
    for (; *attributes; attributes += 2)
        element.attributes.emplace(attributes[0], attributes[1]);
    if (auto fault = reading.events->open(element))
        reading.stop(std::move(*fault));
}

void closeElement(void* data, const XML_Char*)
{
    auto& reading = *static_cast<Reading*>(data);
    --reading.depth;
    if (!reading.fault)
        reading.events->close();
}

/// Entities are declared there, and can make much of little.
void refuseDocumentType(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int)
{
    auto& reading = *static_cast<Reading*>(data); // which does not know where the type began
    reading.stop(Fault{int(XML_GetCurrentLineNumber(reading.parser)), 0, "a document type (<!DOCTYPE …>)",
        "elements and attributes alone"});
}

} // namespace

const std::string& XmlElement::attribute(std::string_view attribute) const
{
    static const std::string none;
    const auto it = attributes.find(attribute);
    return it == attributes.end() ? none : it->second;
}

std::optional<Fault> readXml(std::string_view text, const XmlEvents& events)
{
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate("UTF-8"), &XML_ParserFree);
    Reading reading{parser.get(), &events};
    XML_SetUserData(parser.get(), &reading);
    XML_SetElementHandler(parser.get(), openElement, closeElement);
    XML_SetStartDoctypeDeclHandler(parser.get(), refuseDocumentType);
    const XML_Status status = XML_Parse(parser.get(), text.data(), int(text.size()), XML_TRUE);
    if (!reading.fault && status != XML_STATUS_OK)
        reading.stop(std::string("XML that is not well-formed: ") + XML_ErrorString(XML_GetErrorCode(parser.get())),
            reading.depth > 0 ? "a whole file, which ends with </system>" : "<system version=\"1\"> … </system>");
    return reading.fault;
}

} // namespace stratoplan::wiring
