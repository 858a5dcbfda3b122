#include "outbound/request_check.h"

#include <gtest/gtest.h>

namespace host::outbound {
namespace {

Request request(std::string method = "GET", Headers headers = {}, std::string body = {}) {
  Request made;
  made.method = std::move(method);
  made.url = "https://api.example/";
  made.headers = std::move(headers);
  made.body = std::move(body);
  return made;
}

TEST(RequestCheck, RefusesWhatWouldSpeakPastHttp) {
  EXPECT_TRUE(check_request(request("PATCH", {{"X-Key", "a b\tc \xe4"}}, "{}")));
  for (const char* method : {"", "get", "CONNECT", "TRACE", "GET / HTTP/1.1\r\nX: y"}) {
    EXPECT_FALSE(check_request(request(method))) << method;
  }
  for (const auto& header : Headers{{"X", "a\r\nHost: evil"},
                                    {"X", "a\nb"},
                                    {"X", std::string("a\0b", 3)},
                                    {"X:", "a"},
                                    {"", "a"},
                                    {"X Y", "a"},
                                    {"X\r\nY", "a"},
                                    {"Host", "evil"},
                                    {"content-LENGTH", "0"},
                                    {"Transfer-Encoding", "chunked"},
                                    {"Proxy-Authorization", "x"}}) {
    EXPECT_FALSE(check_request(request("GET", {header}))) << header.first;
  }
  EXPECT_FALSE(check_request(request("GET", {}, "body")));
  EXPECT_FALSE(check_request(request("GET", {{"X", std::string(9000, 'x')}})));
  EXPECT_FALSE(check_request(request("GET", Headers(65, {"X", "y"}))));
}

TEST(RequestCheck, ARedirectMayTurnAPostToAGet) {
  for (const auto& [status, method] :
       {std::pair{301, "GET"}, {302, "GET"}, {303, "GET"}, {307, "POST"}, {308, "POST"}}) {
    Request posted = request("POST", {{"Content-Type", "a/b"}, {"X-Key", "k"}}, "body");
    redirect(posted, status, "https://api.example/next", true);
    EXPECT_EQ(posted.method, method) << status;
    EXPECT_EQ(posted.body.empty(), posted.method == "GET") << status;
    EXPECT_EQ(posted.headers.size(), posted.method == "GET" ? 1u : 2u) << status;
    EXPECT_EQ(posted.url, "https://api.example/next");
  }
}

TEST(RequestCheck, WhatMayBeASecretDoesNotGoToAnotherOrigin) {
  Request sent = request(
      "GET", {{"Authorization", "x"}, {"Cookie", "x"}, {"X-Api-Key", "x"}, {"Accept", "a/b"}});
  redirect(sent, 302, "https://other.example/", false);
  EXPECT_EQ(sent.headers, (Headers{{"Accept", "a/b"}}));
}

}  // namespace
}  // namespace host::outbound
