// An Operation is one operation of an HTTP API: the definition of its tool, and the data to make
// HTTP requests from calls of this tool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace host::upstream::openapi {

enum class Place : std::uint8_t { Path, Query, Header };

// The enumeration Style is OpenAPI's `style`, the form in which a value is written as text.
// Style::Json means JSON text, for parameters with `content`.
enum class Style : std::uint8_t { Simple, Form, SpaceDelimited, PipeDelimited, DeepObject, Json };

struct Parameter {
  std::string argument;  // the name of the tool's argument
  std::string name;      // the parameter's name in the HTTP request
  Place place = Place::Query;
  Style style = Style::Form;
  bool explode = true;
  bool required = false;
};

// A Credential says where in a request the value of a security scheme is sent.
struct Credential {
  enum class To : std::uint8_t { Header, Query, Cookie, Bearer, Basic };

  std::string scheme;  // the scheme's name in the document
  To to = To::Header;
  std::string name;  // name of the header, parameter or cookie; empty for Bearer and Basic

  bool operator==(const Credential&) const = default;
};

struct Operation {
  std::string name;        // the tool's name, from the document
  std::string definition;  // an entry of tools/list, as JSON
  std::string method;      // in capitals: "GET"
  bool reads = false;      // the method is GET or HEAD, and no argument can change the method
  std::string server;      // URL without a slash at its end: "https://api.example/v1"
  std::string path;        // a template, such as "/pets/{petId}"
  std::vector<Parameter> parameters;
  std::string body_type;  // media type of the argument `body`; empty: no body
  std::vector<Credential> credentials;
  bool promises_object = false;  // the tool's definition has an output schema
};

// kBodyArgument is the argument of a tool that becomes the request's body.
inline constexpr const char* kBodyArgument = "body";

}  // namespace host::upstream::openapi
