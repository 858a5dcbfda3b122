// One operation of an HTTP API: a tool's definition, and how its calls become HTTP requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace host::upstream::openapi {

enum class Place : std::uint8_t { Path, Query, Header };

// How a value becomes text: `style` of OpenAPI. Json: as a JSON text.
enum class Style : std::uint8_t { Simple, Form, SpaceDelimited, PipeDelimited, DeepObject, Json };

struct Parameter {
  std::string argument;  // of the tool
  std::string name;      // in the request
  Place place = Place::Query;
  Style style = Style::Form;
  bool explode = true;
  bool required = false;
};

// Where the value of a security scheme goes.
struct Credential {
  enum class To : std::uint8_t { Header, Query, Cookie, Bearer, Basic };

  std::string scheme;  // its name in the document
  To to = To::Header;
  std::string name;  // of the header, parameter or cookie; empty for Bearer and Basic

  bool operator==(const Credential&) const = default;
};

struct Operation {
  std::string name;        // of the tool, as the document names it
  std::string definition;  // an entry of tools/list, as JSON
  std::string method;      // in capitals
  bool reads = false;      // GET or HEAD, and no argument can change that
  std::string server;      // URL without a slash at its end: "https://api.example/v1"
  std::string path;        // a template: "/pets/{petId}"
  std::vector<Parameter> parameters;
  std::string body_type;  // media type of the argument `body`; empty: the operation has none
  std::vector<Credential> credentials;
};

// The argument with the request's body.
inline constexpr const char* kBodyArgument = "body";

}  // namespace host::upstream::openapi
