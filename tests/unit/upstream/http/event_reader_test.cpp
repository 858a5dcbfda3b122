#include "upstream/http/event_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace host::upstream {
namespace {

struct Read {
  std::vector<std::string> events;  // "type|data"
  bool failed = false;
};

// The events of a text that arrives in pieces of this size.
Read read(EventReader& reader, std::string_view text, std::size_t piece) {
  Read read;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const auto taken = reader.take(
        text.substr(at, piece),
        [&](const ServerEvent& event) { read.events.push_back(event.type + "|" + event.data); },
        [] { return true; });
    if (!taken) read.failed = true;
    if (read.failed) break;
  }
  return read;
}

std::vector<std::string> events_of(std::string_view text) {
  std::vector<std::string> first;
  for (std::size_t piece = 1; piece <= 7; ++piece) {
    EventReader reader(1000);
    const Read now = read(reader, text, piece);
    EXPECT_FALSE(now.failed);
    if (piece == 1) first = now.events;
    EXPECT_EQ(now.events, first) << "in pieces of " << piece;
  }
  return first;
}

using Texts = std::vector<std::string>;

TEST(EventReader, ReadsEventsWithAnyLineEndInAnyPieces) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const std::string n = end;
    EXPECT_EQ(events_of("event: message" + n + "data: one" + n + n + "data:two" + n + n),
              (Texts{"message|one", "|two"}));
  }
}

TEST(EventReader, JoinsLinesOfDataAndSkipsComments) {
  EXPECT_EQ(events_of(": keepalive\n\ndata: a\n: b\ndata: c\ndata\n\n"), (Texts{"|a\nc\n"}));
}

TEST(EventReader, AnEventWithoutDataIsNoneAndAnUnfinishedOneNeither) {
  EXPECT_EQ(events_of("event: x\n\nid: 7\n\ndata: not over\n"), Texts{});
  EXPECT_EQ(events_of("id: 7\ndata:\n\n"), (Texts{"|"}));  // a priming event
}

TEST(EventReader, AByteOrderMarkMayOnlyBeFirst) {
  EXPECT_EQ(events_of("\xef\xbb\xbf"
                      "data: a\n\n\xef\xbb\xbf"
                      "data: b\n\n"),
            (Texts{"|a"}));
}

TEST(EventReader, KeepsTheLastIdAndTheWait) {
  EventReader reader(1000);
  static_cast<void>(read(reader, "id: a\nretry: 500\ndata: x\n\nid\n\n", 100));
  EXPECT_EQ(reader.last_id(), "");
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(500));
  static_cast<void>(
      read(reader, "id: b\nid: " + std::string(2000, 'x').substr(0, 900) + "\n\n", 9));
  EXPECT_EQ(reader.last_id().size(), 900u);
  static_cast<void>(
      read(reader, std::string("id: a\0b\nretry: 5x\nretry: 99999999999999999999\n", 46), 9));
  EXPECT_EQ(reader.last_id().size(), 900u);
  EXPECT_EQ(reader.retry(), std::chrono::hours(1));
}

TEST(EventReader, ALineOrAnEventOverItsLimitIsAnError) {
  for (const std::string& text :
       {std::string(101, 'x'), ": " + std::string(100, 'x'),
        "data: " + std::string(60, 'x') + "\ndata: " + std::string(60, 'x') + "\n\n"}) {
    EventReader reader(100);
    const Read now = read(reader, text + "\n\n", 10);
    EXPECT_TRUE(now.failed) << text;
    EXPECT_EQ(now.events, Texts{});
  }
}

TEST(EventReader, StopsWhereItIsToldToAndGoesOnThere) {
  EventReader reader(100);
  std::string got;
  const auto keep = [&](const ServerEvent& event) { got += event.data; };
  const std::string text = "data: a\n\ndata: b\n\n";
  const auto taken = reader.take(text, keep, [] { return false; });
  ASSERT_EQ(*taken, 9u);
  EXPECT_EQ(got, "a");
  EXPECT_EQ(reader.take(text.substr(*taken), keep, [] { return true; }).value(), 9u);
  EXPECT_EQ(got, "ab");
}

TEST(EventReader, StopsWithinLinesThatSayNothingToo) {
  EventReader reader(100);
  const std::string blank(100'000, '\n');
  const auto taken = reader.take(
      blank, [](const ServerEvent&) {}, [] { return false; });
  EXPECT_LT(taken.value(), 1000u);
}

}  // namespace
}  // namespace host::upstream
