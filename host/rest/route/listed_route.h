// Gives the list of all routes of REST, for the OpenAPI description.
#pragma once

#include <span>
#include <string_view>

#include "identity/scopes.h"

namespace host::rest {

struct ListedRoute {
  std::string_view path;  // the path; a segment `*` stands for any id
  std::string_view method;
  identity::Scopes scopes;  // a client needs one of these scopes
};

// listed_routes() is defined in api/api.cpp.
std::span<const ListedRoute> listed_routes();

}  // namespace host::rest
