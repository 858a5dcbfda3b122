// Sends one request for tokens to an authorization server.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "upstream/oauth/messages.h"
#include "upstream/oauth/requests.h"

namespace host::upstream::oauth {

struct TokenAnswer {
  Tokens tokens;
  std::string refusal;  // the error code of RFC 6749, such as "invalid_grant"
                        // empty: tokens were sent
};

// An Error means that the server's response is missing or malformed. request_tokens() is called on
// the I/O thread.
boost::asio::awaitable<Result<TokenAnswer>> request_tokens(const Requests& requests,
                                                           std::string endpoint, Client client,
                                                           Form form, const Clock& clock);

}  // namespace host::upstream::oauth
