// What a bare server does with one message: parse it, find id and text, print the answer.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>
#include <string_view>

namespace bench {

inline std::string echo(std::string_view message) {
  rapidjson::Document request;
  request.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag>(
      message.data(), message.size());
  if (request.HasParseError() || !request.IsObject() || !request.HasMember("id")) return {};
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer(out);
  writer.StartObject();
  writer.Key("jsonrpc");
  writer.String("2.0");
  writer.Key("id");
  request["id"].Accept(writer);
  writer.Key("result");
  writer.StartObject();
  writer.Key("content");
  writer.StartArray();
  writer.StartObject();
  writer.Key("type");
  writer.String("text");
  writer.Key("text");
  const rapidjson::Value* text = nullptr;
  if (const auto params = request.FindMember("params");
      params != request.MemberEnd() && params->value.IsObject()) {
    const auto arguments = params->value.FindMember("arguments");
    if (arguments != params->value.MemberEnd() && arguments->value.IsObject()) {
      const auto found = arguments->value.FindMember("text");
      if (found != arguments->value.MemberEnd() && found->value.IsString()) text = &found->value;
    }
  }
  if (text != nullptr) {
    text->Accept(writer);
  } else {
    writer.String("");
  }
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
  return {out.GetString(), out.GetSize()};
}

}  // namespace bench
