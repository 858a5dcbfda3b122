#include "rest/describe/description.h"

#include "rest/describe/document.h"
#include "rest/wire/parameters.h"
#include "transport/http/json_answer.h"

namespace host::rest {

awaitable<void> DescriptionRoutes::show(const Asked& asked) {
  const auto given = read_parameters(asked.http().query(), {});
  if (!given) co_return transport::answer_error(asked.exchange, given.error());
  if (!document_)
    document_ = openapi_document(listed_routes(), fragments(), webhook::event_schemas());
  if (!*document_) co_return transport::answer_error(asked.exchange, document_->error());
  transport::answer_json(asked.exchange, 200, **document_);
}

}  // namespace host::rest
