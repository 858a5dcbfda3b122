#include <string>

#include "toolpost/ext/http.h"
#include "unit/plugins/plugin_test.h"

namespace {

struct Response {
  std::uint64_t status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::string url = "https://docs.example/";
  tp_status outcome = TP_OK;
};

// The host's side of tp.http/1, one request at a time.
Response next_response;
std::string last_request;

tp_status answer(tp_host*, const tp_call*, tp_str request, tp_str, const tp_reply* reply) {
  last_request = fake::text(request);
  const std::string why = "the host denies it";
  const std::string json = R"({"url":)" + json_text(next_response.url) +
                           R"(,"headers":[["Content-Type",)" + json_text(next_response.type) +
                           "]]}";
  const bool good = next_response.outcome == TP_OK;
  tp_answer made{};
  made.struct_size = sizeof made;
  made.status = next_response.outcome;
  made.number = next_response.status;
  if (good) made.json = fake::str(json);
  made.bytes = fake::str(good ? next_response.body : why);
  reply->done(reply->context, &made);
  return TP_OK;
}

const tp_host_api& host_with_http() {
  static const tp_http_api http = {sizeof(tp_http_api), 0, &answer};
  static const tp_host_api api = [] {
    tp_host_api made = fake::host_api();
    made.extension = [](tp_host* host, const char* id) -> const void* {
      return std::string_view(id) == TP_EXT_HTTP ? &http : fake::host_api().extension(host, id);
    };
    return made;
  }();
  return api;
}

class Fetch : public testing::Test {
 protected:
  Fetch() : plugin_(library("fetch"), "{}", host_with_http()) { next_response = {}; }

  std::string fetch(const std::string& url = "https://docs.example/",
                    const std::string& more = "") {
    return told(plugin_, "fetch", R"({"url":)" + json_text(url) + more + "}");
  }
  // What a page reads like, without the line about it.
  std::string page(const std::string& html) {
    next_response.body = html;
    const std::string text = fetch();
    return text.substr(text.find("]\n\n") + 3);
  }

  fake::Plugin plugin_;
};

TEST_F(Fetch, TellsWhatCameAndFromWhere) {
  next_response = {200, "text/plain", "hello\n", "https://docs.example/moved"};
  EXPECT_EQ(fetch(), "[200, text/plain, 6 bytes, from https://docs.example/moved]\n\nhello\n");
  EXPECT_NE(last_request.find(R"("url":"https://docs.example/")"), std::string::npos);
  EXPECT_NE(last_request.find(R"("method":"GET")"), std::string::npos);
  EXPECT_NE(last_request.find(R"("max_bytes":4194304)"), std::string::npos);
}

TEST_F(Fetch, AFailedStatusIsAnErrorBehindItsPage) {
  next_response = {404, "text/plain", "nothing here", "https://docs.example/"};
  EXPECT_EQ(fetch(),
            "[404, text/plain, 12 bytes, from https://docs.example/]\n\nnothing here"
            "error: status 404 from https://docs.example/");
  next_response.outcome = TP_E_DENIED;
  EXPECT_EQ(fetch(), "error: the host denies it");
}

TEST_F(Fetch, MakesAPageReadable) {
  EXPECT_EQ(page("<html><head><title> A  &amp; B </title><style>p{}</style>"
                 "<script>if (a<b) { '</p>' }</script></head><body><h2>Head</h2>"
                 "<p>One\n  two &lt;three&gt; &#228;&#x1F600; &unknown; &"
                 "<ul><li>first<li><a href='/next'>second</a></ul><!-- <p>not this -->"
                 "<pre>a\n  b</pre><table><tr><td>1<td>2</table>after<br/>it"),
            "A & B\n\n## Head\n\nOne two <three> \u00e4\U0001f600 &unknown; &\n\n- first\n"
            "- second (/next)\n\na\n  b\n\n| 1 | 2\n\nafter\nit");
}

TEST_F(Fetch, LinksThatLeadNowhereAreText) {
  EXPECT_EQ(page("<a href=\"#top\">up</a> <a href='javascript:alert(1)'>run</a> "
                 "<a href=https://x.example/a>go</a> <a>plain</a>"),
            "up run go (https://x.example/a) plain");
}

TEST_F(Fetch, BrokenPagesAreReadToTheirEnd) {
  EXPECT_EQ(page("a < b <3 <"), "a < b <3 <");
  EXPECT_EQ(page("x<script>never closed"), "x");
  EXPECT_EQ(page("x<!-- never closed"), "x");
  EXPECT_EQ(page("x<p class=\"never closed"), "x");
  EXPECT_EQ(page("x<a href"), "x");
  EXPECT_EQ(page(""), "");
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "<div><b>";
  EXPECT_EQ(page(deep + "end"), "end");
  EXPECT_EQ(page(std::string(1'000'000, '<') + "a>"), std::string(100'000, '<'));
}

TEST_F(Fetch, GivesItRawWhereThatIsAskedFor) {
  next_response.body = "<p>a</p>";
  EXPECT_TRUE(fetch("https://docs.example/", R"(,"as":"raw")").ends_with("\n\n<p>a</p>"));
}

TEST_F(Fetch, TellsNoMoreThanIsAskedFor) {
  next_response = {200, "text/plain", std::string(1000, 'x'), "https://docs.example/"};
  const std::string text = fetch("https://docs.example/", R"(,"max_bytes":100)");
  EXPECT_NE(text.find("; the first 100 bytes of 1000]\n\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n\n" + std::string(100, 'x')));
}

TEST_F(Fetch, MendsAndConvertsWhatIsNoUtf8) {
  next_response = {200, "text/plain; charset=ISO-8859-1", "\xe4", "https://docs.example/"};
  EXPECT_TRUE(fetch().ends_with("\n\n\u00e4"));
  next_response = {200, "text/plain", "a\xff\x1b[31m", "https://docs.example/"};
  EXPECT_TRUE(fetch().ends_with("\n\na\ufffd\ufffd[31m"));
}

TEST_F(Fetch, AnImageIsABlobAndOtherBytesAreReported) {
  next_response = {200, "image/png", "png", "https://docs.example/"};
  fake::Call call;
  plugin_.call("fetch", R"({"url":"https://docs.example/"})", call);
  ASSERT_EQ(call.blocks.size(), 2u);
  EXPECT_EQ(call.blocks[1].kind, TP_BLOB);
  EXPECT_EQ(call.blocks[1].mime, "image/png");
  next_response.type = "application/zip";
  EXPECT_NE(fetch().find("application/zip, 3 bytes, from https://docs.example/: no text"),
            std::string::npos);
}

TEST_F(Fetch, RefusesWhatIsNoPlainUrl) {
  for (const char* url : {"ftp://x.example/",
                          "file:///etc/passwd",
                          "//x.example/",
                          "x.example",
                          "https://",
                          "https://ada:secret@x.example/",
                          "https://x.example/a b",
                          "https://x.example\\@y.example/",
                          "https://x.example/a/../b",
                          "https://x.example/a/%2E%2e/b",
                          "https://x.example/.",
                          "https://x.example/\u00e4",
                          "https://x%2Eexample/",
                          "https://x.example:/",
                          "https://x.example:0/",
                          "https://x.example:65536/",
                          "https://x.example:4a/",
                          "https://x.example:443:80/",
                          "https://x.example../",
                          "https://./",
                          "https://[::1/",
                          "https://[::1]x/",
                          "https://[fe80::1%25eth0]/",
                          "https://x!.example/",
                          "https://134744072/",
                          "https://0x08080808/",
                          "https://0X8.8.8.0x/",
                          "https://8.8.2056./",
                          "https://010.8.8.8/",
                          "https://8.8.8.256/"}) {
    last_request.clear();
    EXPECT_EQ(fetch(url).find("error: url \""), 0u) << url;
    EXPECT_EQ(last_request, "") << url;
    const std::string args = R"({"url":)" + json_text(url) + "}";
    EXPECT_NE(judged(plugin_, "fetch", args).find(R"("behavior":"deny")"), std::string::npos);
  }
}

TEST_F(Fetch, RulesAreAboutOneSpellingOfAnAddress) {
  const auto fits = [&](const std::string& rule, const std::string& url) {
    fake::Call call;
    plugin_.api().match_rule(plugin_.instance(), plugin_.index_of("fetch"),
                             fake::str(R"({"url":)" + json_text(url) + "}"),
                             fake::str(R"({"rule_content":)" + json_text(rule) + "}"),
                             call.handle());
    return call.only() == "true";
  };
  const std::string rule = "https://docs.example/*";
  EXPECT_TRUE(fits(rule, "https://docs.example/a/b?c"));
  EXPECT_TRUE(fits(rule, "HTTPS://Docs.Example:443/a"));
  EXPECT_TRUE(fits(rule, "https://docs.example"));
  EXPECT_TRUE(fits(rule, "https://docs.example#x"));
  EXPECT_FALSE(fits(rule, "https://docs.example.evil/a"));
  EXPECT_FALSE(fits(rule, "https://docs.example:8443/a"));
  EXPECT_FALSE(fits(rule, "http://docs.example/a"));
  EXPECT_TRUE(fits(rule, "https://docs.example./a"));
  EXPECT_TRUE(fits(rule, "https://docs.example:0443/a"));
  EXPECT_TRUE(fits("https://docs.example:8443/*", "https://docs.example.:08443/a"));
  EXPECT_TRUE(fits("https://[::1]/*", "https://[0:0:0:0:0:0:0:1]:443/a"));
  EXPECT_TRUE(fits("https://8.8.8.8/*", "https://8.8.8.8./a"));
  EXPECT_TRUE(fits("https://8.8.8.8/*", "https://[::ffff:8.8.8.8]/a"));
  EXPECT_TRUE(fits("https://8.8.8.8/*", "https://[::FFFF:808:0808]:443/a"));
  EXPECT_TRUE(fits("https://8.8.8.example/*", "https://8.8.8.example/a"));
  EXPECT_TRUE(fits("https://docs.example/admin*", "https://docs.example/%61dm%69n/x"));
  EXPECT_TRUE(fits("https://docs.example/a%2Fb", "https://docs.example/a%2fb"));
  EXPECT_FALSE(fits("https://docs.example/a*", "https://docs.example/%2561"));
  EXPECT_TRUE(fits("https://*/a*c*", "https://x.example/abcd"));
  EXPECT_FALSE(fits("https://*/a*e", "https://x.example/abcd"));

  fake::Call call;
  plugin_.api().generate_suggestions(plugin_.instance(), plugin_.index_of("fetch"),
                                     fake::str(R"({"url":"https://docs.example/a/b"})"),
                                     fake::str("{}"), call.handle());
  EXPECT_EQ(call.only(), R"([{"content":"https://docs.example/*"}])");
}

TEST_F(Fetch, RequestsTheSpellingThatRulesWereComparedWith) {
  fetch("https://Docs.Example.:0443/%61?q=%7e#x");
  EXPECT_NE(last_request.find(R"("url":"https://docs.example/a?q=~")"), std::string::npos)
      << last_request;
}

TEST_F(Fetch, ALongUrlIsCutBetweenCharacters) {
  const std::string url = "https://x.example/" + std::string(181, 'a') + "\u00e4";
  const std::string told = fetch(url);
  EXPECT_EQ(told.find("error: url \"https://x.example/aaa"), 0u);
  EXPECT_EQ(told.find("\ufffd"), std::string::npos) << told;
}

TEST_F(Fetch, NeedsAHostThatMakesRequests) {
  const tp_plugin& about = plugin_.about();
  ASSERT_NE(about.required_ext, nullptr);
  EXPECT_EQ(std::string_view(about.required_ext[0]), TP_EXT_HTTP);
}

}  // namespace
