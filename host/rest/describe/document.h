// Makes the OpenAPI 3.1 document of the REST interface from the table of routes and the
// descriptions in fragments.h.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "rest/describe/fragments.h"
#include "rest/route/listed_route.h"
#include "webhook/event.h"

namespace host::rest {

// Returns an Error if a route has no description, or a description has no route. `events` contains
// the schemas of the events that webhooks get.
Result<std::string> openapi_document(std::span<const ListedRoute> routes,
                                     std::span<const Fragment> fragments,
                                     std::span<const webhook::EventSchema> events);

}  // namespace host::rest
