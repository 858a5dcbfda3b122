#include "plugin/wire/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "plugin/wire/worker_messages.h"
#include "support/passports.h"

namespace host::plugin {
namespace {

void feed(FrameReader& reader, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto room = reader.prepare();
    const std::size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    reader.commit(count);
    bytes.remove_prefix(count);
  }
}

std::string three_frames() {
  std::string out;
  FrameWriter(out, FrameType::Ping, 0);
  FrameWriter(out, FrameType::Progress, 7).f64(0.5).f64(2).text("half");
  FrameWriter(out, FrameType::Done, 8).i32(-3).raw("rest");
  return out;
}

TEST(Frame, ComesBackAsItWasWritten) {
  FrameReader reader;
  feed(reader, three_frames());
  auto ping = reader.next();
  ASSERT_TRUE(ping && *ping);
  EXPECT_EQ((*ping)->type, FrameType::Ping);
  auto progress = reader.next();
  ASSERT_TRUE(progress && *progress);
  EXPECT_EQ((*progress)->call_id, 7u);
  BodyReader body((*progress)->body);
  EXPECT_EQ(body.f64(), 0.5);
  EXPECT_EQ(body.f64(), 2);
  EXPECT_EQ(body.text(), "half");
  EXPECT_TRUE(body.done());
  auto done = reader.next();
  ASSERT_TRUE(done && *done);
  BodyReader rest((*done)->body);
  EXPECT_EQ(rest.i32(), -3);
  EXPECT_FALSE(rest.empty());
  auto none = reader.next();
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(Frame, WaitsForTheRestAtEveryTruncation) {
  const std::string all = three_frames();
  for (std::size_t cut = 0; cut < all.size(); ++cut) {
    FrameReader reader;
    feed(reader, std::string_view(all).substr(0, cut));
    int frames = 0;
    for (auto frame = reader.next(); frame && *frame; frame = reader.next()) ++frames;
    feed(reader, std::string_view(all).substr(cut));
    for (auto frame = reader.next(); frame && *frame; frame = reader.next()) ++frames;
    EXPECT_EQ(frames, 3) << "cut at " << cut;
    EXPECT_FALSE(reader.mid_frame());
  }
}

TEST(Frame, TakesBytesOneAtATimeAndBodiesLargerThanItsBuffer) {
  std::string all;
  const std::string large(3u << 20u, 'x');
  FrameWriter(all, FrameType::Push, 1).raw(large);
  FrameWriter(all, FrameType::Push, 2).raw("y");
  FrameReader reader;
  feed(reader, std::string_view(all).substr(0, 1));
  feed(reader, std::string_view(all).substr(1));
  const auto first = reader.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->body, large);
  const auto second = reader.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->body, "y");
}

TEST(Frame, RefusesWrongMagicLengthReservedBytesAndUnknownTypes) {
  const auto refused = [](std::size_t at, char value) {
    std::string bytes;
    FrameWriter(bytes, FrameType::Ping, 0);
    bytes[at] = value;
    FrameReader reader;
    feed(reader, bytes);
    return !reader.next();
  };
  EXPECT_TRUE(refused(0, 'X'));
  EXPECT_TRUE(refused(4, 99));
  EXPECT_TRUE(refused(19, 0x7f));
  EXPECT_TRUE(refused(20, 1));
}

TEST(Frame, SkipsAnUnknownOptionalFrame) {
  std::string bytes;
  FrameWriter(bytes, static_cast<FrameType>(200), 1, kOptional).raw("later version");
  FrameWriter(bytes, FrameType::Pong, 0);
  FrameReader reader;
  feed(reader, bytes);
  const auto frame = reader.next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->type, FrameType::Pong);
}

TEST(Frame, MutationsNeverReadBeyondTheBytes) {
  std::mt19937 random(1);
  std::string calls;
  CallMessage call;
  call.arguments = R"({"a":1})";
  call.passport = test::passport("id");
  call.continuation = std::make_shared<tool::Continuation>(
      tool::Continuation{"state", {{"key", R"({"action":"accept"})"}}});
  write_call(calls, 1, call);
  call.passport = test::passport_with([](tool::Passport& passport) {
    passport.who.agent = "desk";
    passport.trace.baggage = "k=v";
    passport.given = std::make_shared<const tool::CallContext>(
        tool::CallContext{{{"a", "b"}}, {{"t/1", "{}"}}, {}});
  });
  write_call(calls, 2, call);
  News news;
  news.tools = {{1, true}, {7, false}};
  news.updated = {"a:b", "c:d"};
  write_news(calls, news);
  append_record(calls, {});
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = calls;
    for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    FrameReader reader;
    feed(reader, bytes);
    for (auto frame = reader.next(); frame && *frame; frame = reader.next()) {
      const auto message = read_call((*frame)->body);
      if (message) {
        EXPECT_LE(message->arguments.size(), bytes.size());
      }
      BodyReader body((*frame)->body);
      Record record;
      while (!body.empty() && read_record(body, record))
        EXPECT_LE(record.bytes.size(), bytes.size());
      const auto told = read_news((*frame)->body);
      if (told) {
        EXPECT_LE(told->updated.size(), bytes.size());
      }
      read_config((*frame)->body);
      read_sandboxed((*frame)->body);
    }
  }
}

TEST(Frame, ACallMessageIsRefusedAtEveryTruncation) {
  std::string bytes;
  CallMessage call;
  call.tool = 3;
  call.arguments = "{}";
  call.passport = test::passport("", "me");
  write_call(bytes, 1, call);
  const std::string_view body = std::string_view(bytes).substr(kFrameHeaderBytes);
  EXPECT_EQ(call_bytes(call), body.size());
  ASSERT_TRUE(read_call(body));
  EXPECT_EQ(read_call(body)->passport->who.principal, "me");
  for (std::size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(read_call(body.substr(0, cut))) << cut;
}

TEST(Frame, ACallBringsItsTraceAndWhatWasGivenAlongOnlyWhereItHasThem) {
  CallMessage call;
  call.passport = test::passport("", "me");
  std::string bytes;
  write_call(bytes, 1, call);
  const std::size_t plain = bytes.size();
  tool::CallContext given;
  given.values = {{"a", ""}, {"b", "c"}};
  given.entries = {{"t/1", R"({"c":1})"}};
  auto full = std::make_shared<tool::Passport>();
  full->who = {"me", "desk", "s1"};
  full->trace = {"", "v=1", "k=v"};
  full->given = std::make_shared<const tool::CallContext>(given);
  call.passport = full;
  bytes.clear();
  write_call(bytes, 1, call);
  const std::string_view body = std::string_view(bytes).substr(kFrameHeaderBytes);
  EXPECT_EQ(call_bytes(call), body.size());
  const auto read = read_call(body);
  ASSERT_TRUE(read && read->passport->given);
  EXPECT_EQ(read->passport->trace, full->trace);
  EXPECT_EQ(read->passport->who, full->who);
  EXPECT_EQ(*read->passport->given, given);
  EXPECT_EQ(read->continuation, nullptr);
  for (std::size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(read_call(body.substr(0, cut))) << cut;

  auto traced_only = std::make_shared<tool::Passport>();
  traced_only->who.principal = "me";
  traced_only->trace = full->trace;
  call.passport = traced_only;
  bytes.clear();
  write_call(bytes, 1, call);
  const auto traced = read_call(std::string_view(bytes).substr(kFrameHeaderBytes));
  ASSERT_TRUE(traced);
  EXPECT_EQ(traced->passport->trace, full->trace);
  EXPECT_EQ(traced->passport->given, nullptr);
  EXPECT_EQ(bytes.size(), plain + 12 + 6);
}

TEST(Frame, ACallThatHasAskedBringsItsAnswersAndStateByteForByte) {
  CallMessage call;
  call.nonblocking = true;
  call.abilities = 21;
  std::string bytes;
  write_call(bytes, 1, call);
  const std::size_t plain = bytes.size();
  EXPECT_FALSE(read_call(std::string_view(bytes).substr(kFrameHeaderBytes))->continuation);

  const tool::Continuation given{std::string("\0s", 2), {{"a", "{}"}, {"b", R"({"c":1})"}}};
  call.continuation = std::make_shared<tool::Continuation>(given);
  bytes.clear();
  write_call(bytes, 1, call);
  EXPECT_GT(bytes.size(), plain);
  const std::string_view body = std::string_view(bytes).substr(kFrameHeaderBytes);
  EXPECT_EQ(call_bytes(call), body.size());
  const auto read = read_call(body);
  ASSERT_TRUE(read && read->continuation);
  EXPECT_TRUE(read->nonblocking);
  EXPECT_EQ(read->abilities, 21u);
  EXPECT_EQ(read->continuation->state, given.state);
  EXPECT_EQ(read->continuation->answers, given.answers);
  for (std::size_t cut = plain - kFrameHeaderBytes + 1; cut < body.size(); ++cut)
    EXPECT_FALSE(read_call(body.substr(0, cut))) << cut;
}

TEST(Frame, NewsComeBackAsTheyWereToldAndAreRefusedAtEveryTruncation) {
  News news;
  news.prompts = true;
  news.tools = {{0, false}, {9, true}};
  news.updated = {"a:b"};
  std::string bytes;
  write_news(bytes, news);
  const std::string_view body = std::string_view(bytes).substr(kFrameHeaderBytes);
  const auto read = read_news(body);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->resources);
  EXPECT_TRUE(read->prompts);
  EXPECT_EQ(read->tools, news.tools);
  EXPECT_EQ(read->updated, news.updated);
  for (std::size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(read_news(body.substr(0, cut))) << cut;
  news.updated = {"a:" + std::string(News::kMostUriBytes, 'x')};
  bytes.clear();
  write_news(bytes, news);
  EXPECT_FALSE(read_news(std::string_view(bytes).substr(kFrameHeaderBytes)));
}

TEST(Frame, AWorkersProfileComesAsItWasSentAndIsRefusedAtEveryTruncation) {
  WorkerConfig config;
  config.library = "/l.so";
  config.profile.library = config.library;
  config.profile.work_dir = "/empty";
  config.profile.fs = {{"/a", true}, {"/b", false}};
  config.profile.exec = true;
  config.profile.memory_bytes = 1ull << 40u;
  config.profile.file_bytes = 2;
  config.profile.cpu_seconds = 3;
  config.profile.uid = 4;
  config.profile.required.add(sandbox::LayerName::Seccomp);
  config.profile.filter = std::string("\0f", 2);
  config.profile.landlock_abi = 5;
  std::string bytes;
  write_config(bytes, config);
  const std::string_view body = std::string_view(bytes).substr(kFrameHeaderBytes);
  const auto read = read_config(body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->profile, config.profile);
  for (std::size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(read_config(body.substr(0, cut))) << cut;
}

TEST(Frame, WhatHoldsAWorkerComesAsItWasToldAndIsRefusedAtEveryTruncation) {
  sandbox::Applied told;
  told.layers = {{sandbox::LayerName::Landlock, true, "ABI 7"},
                 {sandbox::LayerName::Seccomp, false, "none"}};
  told.absent = {"/a: No such file or directory"};
  std::string bytes;
  write_sandboxed(bytes, told);
  const std::string body = bytes.substr(kFrameHeaderBytes);
  const auto read = read_sandboxed(body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->layers, told.layers);
  EXPECT_EQ(read->absent, told.absent);
  for (std::size_t cut = 0; cut < body.size(); ++cut)
    EXPECT_FALSE(read_sandboxed(std::string_view(body).substr(0, cut))) << cut;
  std::string unknown = body;
  unknown[4] = 6;  // a layer that there is not
  EXPECT_FALSE(read_sandboxed(unknown));
}

std::string log_body(std::string_view message, std::string_view fields) {
  std::string bytes;
  FrameWriter(bytes, FrameType::Log, 1).i32(3).text(message).text(fields);
  return bytes.substr(kFrameHeaderBytes);
}

// The host puts these texts into its own messages.
TEST(Frame, ALogLineOfAWorkerIsReadOnlyAsItsInstanceWritesIt) {
  const std::string good = log_body("up", R"({ "a": [1,
    2] })");
  const auto line = read_log(good);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->level, 3);
  EXPECT_EQ(line->message, "up");
  EXPECT_EQ(line->fields, R"({"a":[1,2]})");
  EXPECT_TRUE(read_log(log_body("up", "")));
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(read_log(std::string_view(good).substr(0, cut))) << cut;
  EXPECT_FALSE(read_log(good + "x"));
  for (const char* fields :
       {"[1]", "1", "{", "{}}", "{}{}",
        "{}}}}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n{\"a\":{\"b\":{"})
    EXPECT_FALSE(read_log(log_body("up", fields))) << fields;
  const std::string most(kMostReportBytes, 'x');
  EXPECT_TRUE(read_log(log_body(most, "")));
  EXPECT_FALSE(read_log(log_body(most + "x", "")));
  EXPECT_FALSE(read_log(log_body("\xff", "")));
  EXPECT_FALSE(read_log(log_body("up", R"({"a":")" + most + R"("})")));
}

std::string progress_body(double done, double total, std::string_view message) {
  std::string bytes;
  FrameWriter(bytes, FrameType::Progress, 1).f64(done).f64(total).text(message);
  return bytes.substr(kFrameHeaderBytes);
}

TEST(Frame, AProgressReportOfAWorkerHasFiniteNumbersAndText) {
  const std::string good = progress_body(1, 2, "half");
  const auto report = read_progress(good);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->done, 1);
  EXPECT_EQ(report->total, 2);
  EXPECT_EQ(report->message, "half");
  for (std::size_t cut = 0; cut < good.size(); ++cut)
    EXPECT_FALSE(read_progress(std::string_view(good).substr(0, cut))) << cut;
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(read_progress(progress_body(none, 2, "")));
  EXPECT_FALSE(read_progress(progress_body(1, none, "")));
  EXPECT_FALSE(read_progress(progress_body(std::numeric_limits<double>::infinity(), 2, "")));
  EXPECT_FALSE(read_progress(progress_body(1, 2, "\xff")));
  EXPECT_FALSE(read_progress(progress_body(1, 2, std::string(kMostReportBytes + 1, 'x'))));
}

}  // namespace
}  // namespace host::plugin
