#include "tool/definition/question_url.h"

#include <gmock/gmock.h>

namespace host::tool {
namespace {

using ::testing::HasSubstr;

TEST(QuestionUrl, PagesWithHttpsAndPagesOfThisMachineAreAllowed) {
  for (const char* url : {"https://a.example", "HTTPS://a.example:8443/x?y#z",
                          "https://a.example/@u", "http://localhost:3000/x", "http://127.0.0.1/",
                          "http://127.9.0.1:1", "http://[::1]:80/x", "http://LOCALHOST?x"}) {
    EXPECT_EQ(fault_of_question_url(url), "") << url;
  }
}

TEST(QuestionUrl, OtherSchemesAreRefused) {
  for (const char* url :
       {"", "a.example", "//a.example", "file:///etc/passwd", "javascript:alert(1)", "vscode://x/y",
        "data:text/html,x", "https:a.example", "ms-msdt://x", "javascript://a.example/%0aalert(1)",
        "xhttps://a.example"}) {
    EXPECT_THAT(fault_of_question_url(url), HasSubstr("https://")) << url;
  }
  EXPECT_THAT(fault_of_question_url("java\tscript://x"), HasSubstr("control character"));
  EXPECT_THAT(fault_of_question_url(" https://a.example"), HasSubstr("space"));
  EXPECT_THAT(fault_of_question_url("https:///x"), HasSubstr("no host"));
}

TEST(QuestionUrl, AUrlThatLooksLikeAnotherOneIsRefused) {
  for (const char* url :
       {"https://a\xE2\x80\xAE.b/", "https://a.b/\xE2\x80\x8B", "https://a.b/\xFF"})
    EXPECT_THAT(fault_of_question_url(url), HasSubstr("invisible")) << url;
  for (const char* url : {"https://u@a.example/", "https://bank.example:443@a.example?x",
                          "http://a.example@localhost/", "https://@a.example/"})
    EXPECT_THAT(fault_of_question_url(url), HasSubstr("user name")) << url;
}

TEST(QuestionUrl, HttpElsewhereIsRefusedHoweverItsHostIsWritten) {
  for (const char* url :
       {"http://a.example/", "http://localhost.a.example/", "http://127.0.0.1.a.example",
        "http://127.0.0.1@a.example/", "http://a.example\\@localhost/",
        "http://a.example#@localhost", "http://127.1.a/", "http://127.0.0.1./"}) {
    EXPECT_THAT(fault_of_question_url(url), HasSubstr("must use https")) << url;
  }
}

}  // namespace
}  // namespace host::tool
