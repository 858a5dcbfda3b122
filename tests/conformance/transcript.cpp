#include "conformance/transcript.h"

#include <regex>

#include "support/session_host.h"

namespace host::test {
namespace {

// Swaps the names of what differs from run to run for what the host gave, and back.
class Names {
 public:
  std::string hide(std::string text) {
    hide(text, R"re(("requestState":")([^"]*)("))re", state_, "<state>");
    hide(text, R"re(("nextCursor":")([^"]*)("))re", cursor_, "<cursor>");
    return text;
  }
  std::string session(const std::string& id) {
    if (!id.empty()) session_ = id;
    return id.empty() ? "" : " Mcp-Session-Id: <session>";
  }
  std::string show(std::string text) const {
    replace(text, "<state>", state_);
    replace(text, "<cursor>", cursor_);
    replace(text, "<session>", session_);
    return text;
  }

 private:
  static void hide(std::string& text, const char* pattern, std::string& value, const char* name) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(pattern))) return;
    value = match[2];
    text = match.prefix().str() + match[1].str() + name + match[3].str() + match.suffix().str();
  }
  static void replace(std::string& text, const std::string& name, const std::string& value) {
    for (auto at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }

  std::string state_, cursor_, session_;
};

void configure(config::Config& config) {
  config.limits.page_size = 6;
}

HttpPeer::Fields fields_of(const std::string& text) {
  HttpPeer::Fields fields;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(" | ", at), text.size());
    const std::string field = text.substr(at, end - at);
    const std::size_t colon = field.find(": ");
    std::string name = field.substr(0, colon);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (colon != std::string::npos) fields[name] = field.substr(colon + 2);
    at = end + 3;
  }
  return fields;
}

// The requests of one HTTP transcript, and how much of each answer was told already.
class HttpReplay {
 public:
  void send(const std::string& head, const std::string& body) {
    const std::size_t space = std::min(head.find(' '), head.size());
    const std::string fields = space == head.size() ? "" : head.substr(space + 1);
    exchanges_.push_back(
        peer_.send(head.substr(0, space), names_.show(body), fields_of(names_.show(fields))));
    told_.push_back({});
  }
  void act(const std::string& what) {
    if (what == "changed") {
      host_.tell_tools_changed();
    } else if (what.starts_with("disconnect ")) {
      exchanges_.at(std::stoul(what.substr(11)) - 1)->disconnect();
    }
    host_.loop.turn();
  }
  void tell(std::vector<std::string>& out) {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) tell(i, out);
  }

 private:
  struct Told {
    bool head = false;
    std::size_t events = 0;
    bool end = false;
  };
  void tell(std::size_t i, std::vector<std::string>& out) {
    const FakeExchange& exchange = *exchanges_[i];
    Told& told = told_[i];
    const std::string prefix = "< [" + std::to_string(i + 1) + "] ";
    if (exchange.status != 0 && !told.head) {
      std::string line = prefix + std::to_string(exchange.status);
      if (!exchange.answer_type.empty()) line += " " + exchange.answer_type;
      line += names_.session(exchange.answer_header("Mcp-Session-Id"));
      if (!exchange.answer.empty()) line += " " + names_.hide(exchange.answer);
      out.push_back(line);
      told.head = true;
    }
    if (!exchange.events) return;
    for (; told.events < exchange.events->events.size(); ++told.events) {
      out.push_back(prefix + "event " + names_.hide(exchange.events->events[told.events]));
    }
    if (!exchange.events->is_open && !told.end) {
      out.push_back(prefix + "end");
      told.end = true;
    }
  }

  SessionHost host_{configure};
  HttpPeer peer_{host_};
  Names names_;
  std::vector<std::shared_ptr<FakeExchange>> exchanges_;
  std::vector<Told> told_;
};

}  // namespace

std::vector<std::string> replay_stdio(const std::vector<std::string>& lines) {
  SessionHost host(configure);
  LinePeer peer(host);
  Names names;
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    if (line.starts_with("< ")) continue;
    out.push_back(line);
    if (line.starts_with("> ")) peer.session->on_line(names.show(line.substr(2)));
    if (line == "! end") peer.session->on_end();
    if (line == "! changed") host.tell_tools_changed();
    host.loop.turn();
    for (const std::string& sent : peer.connection.take()) out.push_back("< " + names.hide(sent));
  }
  return out;
}

std::vector<std::string> replay_http(const std::vector<std::string>& lines) {
  HttpReplay replay;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("< ")) continue;
    out.push_back(line);
    if (line.starts_with("! ")) replay.act(line.substr(2));
    if (line.starts_with("> ")) {
      const bool has_body = i + 1 < lines.size() && lines[i + 1].starts_with(">> ");
      if (has_body) out.push_back(lines[i + 1]);
      replay.send(line.substr(2), has_body ? lines[++i].substr(3) : "");
    }
    replay.tell(out);
  }
  return out;
}

}  // namespace host::test
