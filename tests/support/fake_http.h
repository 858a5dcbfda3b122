// An HTTP exchange of which a test controls both ends.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/http/http.h"

namespace host::test {

class FakeStream final : public transport::EventStream {
 public:
  bool send(std::string_view data, std::string_view id) override {
    if (!is_open) return false;
    bytes_ += data.size();
    events.emplace_back(data);
    ids.emplace_back(id);
    return true;
  }
  bool prime(std::string_view id, std::chrono::milliseconds retry) override {
    return send("retry " + std::to_string(retry.count()), id);
  }
  bool comment(std::string_view) override { return is_open; }
  void close() override { is_open = false; }
  bool open() const override { return is_open; }
  std::size_t waiting() const override { return takes ? 0 : bytes_; }
  void when_taken(std::function<void()> act) override { when_taken_ = std::move(act); }

  // Acts as if the connection had sent the waiting bytes.
  void take() {
    bytes_ = 0;
    if (const auto act = std::exchange(when_taken_, nullptr)) act();
  }

  std::vector<std::string> events;
  std::vector<std::string> ids;
  bool is_open = true;
  bool takes = true;  // false: bytes that are sent wait until take()

 private:
  std::size_t bytes_ = 0;
  std::function<void()> when_taken_;
};

class FakeExchange final : public transport::HttpExchange, public transport::HttpRequest {
 public:
  std::string verb = "POST";
  std::string target = "/mcp";
  std::map<std::string, std::string> fields;  // names in lower case
  std::string text;
  bool is_lost = false;  // the client had disconnected before the request was handled

  int status = 0;  // 0: no answer yet
  std::string answer;
  std::string answer_type;
  transport::Headers answer_headers;
  bool closes = false;  // the connection closes after the stream
  bool takes = true;    // see FakeStream::takes
  std::shared_ptr<FakeStream> events;
  std::shared_ptr<transport::BodySource> source;

  std::string answer_header(std::string_view name) const {
    for (const auto& [key, value] : answer_headers) {
      if (key == name) return value;
    }
    return {};
  }
  void disconnect() {
    if (events) events->is_open = false;
    if (const auto act = std::exchange(on_disconnect_, nullptr)) act();
  }

  const transport::HttpRequest& request() const override { return *this; }
  void respond(int code, std::string body, std::string_view type,
               transport::Headers headers) override {
    if (status != 0) throw std::logic_error("answered twice");
    status = code;
    answer = std::move(body);
    answer_type = type;
    answer_headers = std::move(headers);
  }
  void send_from(int code, std::shared_ptr<transport::BodySource> body, std::string_view type,
                 transport::Headers headers) override {
    if (status != 0) throw std::logic_error("answered twice");
    status = code;
    source = std::move(body);
    answer_type = type;
    answer_headers = std::move(headers);
  }
  std::shared_ptr<transport::EventStream> stream(transport::Headers headers) override {
    if (status != 0) throw std::logic_error("answered twice");
    status = 200;
    answer_type = "text/event-stream";
    answer_headers = std::move(headers);
    events = std::make_shared<FakeStream>();
    events->is_open = !is_lost;
    events->takes = takes;
    return events;
  }
  void close_after_stream() override { closes = true; }
  void on_disconnect(std::function<void()> callback) override {
    if (is_lost) return callback();
    on_disconnect_ = std::move(callback);
  }

  std::string_view method() const override { return verb; }
  std::string_view path() const override { return target; }
  std::string_view query() const override { return {}; }
  std::string_view header(std::string_view name) const override {
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const auto at = fields.find(lower);
    return at == fields.end() ? std::string_view() : std::string_view(at->second);
  }
  std::string_view body() const override { return text; }
  std::string_view remote() const override { return "127.0.0.1"; }

 private:
  std::function<void()> on_disconnect_;
};

}  // namespace host::test
