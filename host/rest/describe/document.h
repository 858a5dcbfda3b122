// The OpenAPI 3.1 document of the REST interface, made from the table of routes and from what
// fragments.h says of each.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "rest/describe/fragments.h"
#include "rest/route/listed_route.h"
#include "webhook/event.h"

namespace host::rest {

// Fails if a route has no description, or a description has no route. `events` are what webhooks
// are sent.
Result<std::string> openapi_document(std::span<const ListedRoute> routes,
                                     std::span<const Fragment> fragments,
                                     std::span<const webhook::EventSchema> events);

}  // namespace host::rest
