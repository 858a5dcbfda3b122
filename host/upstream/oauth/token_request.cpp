#include "upstream/oauth/token_request.h"

#include <utility>

namespace host::upstream::oauth {

boost::asio::awaitable<Result<TokenAnswer>> request_tokens(const Requests& requests,
                                                           std::string endpoint, Client client,
                                                           Form form, const Clock& clock) {
  outbound::Headers headers;
  add_client(client, form, headers);
  // The token's life began at the latest now.
  const WallTime asked = clock.wall();
  const auto answer = co_await requests.post_form(endpoint, std::move(form), std::move(headers));
  if (!answer) co_return answer.error().within(endpoint);
  TokenAnswer out;
  if (answer->status != 200) {
    out.refusal = error_code_in(answer->body);
    const bool is_refusal = answer->status / 100 == 4 && !out.refusal.empty();
    if (is_refusal) co_return out;
    co_return Error{ErrorKind::Unavailable,
                    endpoint + ": HTTP status " + std::to_string(answer->status)};
  }
  auto tokens = read_tokens(answer->body, asked);
  if (!tokens) co_return tokens.error().within(endpoint);
  out.tokens = *std::move(tokens);
  co_return out;
}

}  // namespace host::upstream::oauth
