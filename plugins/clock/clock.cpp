// clock: what time is it, anywhere.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <cctz/time_zone.h>
#include <toolpost/toolpost.hpp>

namespace {

using toolpost::Field;

struct Question {
  Field<std::optional<std::string>,
        "IANA time zone such as Europe/Berlin; if absent, the host's choice",
        toolpost::MaxLength<64>>
      timezone;
};

struct CurrentTime {
  Field<std::string, "IANA time zone"> timezone;
  Field<std::string, "ISO 8601 with the offset from UTC"> time;
  Field<std::string, "Like +02:00"> utc_offset;
};

// cctz also takes absolute paths and names with a prefix: only what can be an IANA name may reach
// it. Each zone has one spelling, because cctz remembers zones by their names.
bool is_zone_name(const std::string& name) {
  constexpr char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/";
  return !name.empty() && name.size() <= 64 && name.front() != '/' && name.back() != '/' &&
         name.find("//") == std::string::npos &&
         name.find_first_not_of(allowed) == std::string::npos;
}

// cctz remembers names that it cannot load too, for as long as the process runs. So a name must
// have a file where cctz looks for it.
bool is_known(const std::string& name) {
  if (name == "UTC") return true;
  const char* const folder = std::getenv("TZDIR");
  const bool is_set = folder != nullptr && *folder != 0;
  std::error_code error;
  return std::filesystem::is_regular_file(
      std::filesystem::path(is_set ? folder : "/usr/share/zoneinfo") / name, error);
}

cctz::time_zone zone_of(const std::string& name) {
  cctz::time_zone zone;
  if (!is_zone_name(name) || !is_known(name) || !cctz::load_time_zone(name, &zone)) {
    throw toolpost::Error("unknown time zone \"" + name +
                          "\": give an IANA name such as Europe/Berlin or UTC");
  }
  return zone;
}

CurrentTime time_in(const std::string& name) {
  const cctz::time_zone zone = zone_of(name);
  const auto now = std::chrono::system_clock::now();
  return {name, cctz::format("%Y-%m-%dT%H:%M:%S%Ez", now, zone), cctz::format("%Ez", now, zone)};
}

struct ZoneVariable {
  std::string zone;
};

// The system's own list: lines of "countries <tab> coordinates <tab> zone ...".
std::vector<std::string> known_zones() {
  std::vector<std::string> zones = {"UTC"};
  std::ifstream table("/usr/share/zoneinfo/zone1970.tab");
  for (std::string line; std::getline(table, line);) {
    std::istringstream columns(line);
    std::string countries, coordinates, zone;
    if (line.starts_with('#') || !(columns >> countries >> coordinates >> zone)) continue;
    zones.push_back(zone);
  }
  std::sort(zones.begin(), zones.end());
  return zones;
}

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Zones that have what was typed anywhere in their name: a city is remembered before its continent.
std::vector<std::string> zones_like(const toolpost::Typed& typed) {
  std::vector<std::string> found = known_zones();
  std::erase_if(found, [&](const std::string& zone) {
    const auto at =
        std::search(zone.begin(), zone.end(), typed.value.begin(), typed.value.end(), same_letter);
    return at == zone.end() && !typed.value.empty();
  });
  return found;
}

class Clock {
 public:
  struct Settings {
    Field<std::string, "Zone of a call that names none"> timezone = "UTC";
  };

  explicit Clock(Settings settings) : settings_(std::move(settings)) {
    zone_of(settings_.timezone);  // a wrong setting shows at once
  }

  CurrentTime get_current_time(const Question& question) const {
    return time_in(question.timezone.value_or(settings_.timezone));
  }

 private:
  Settings settings_;
};

}  // namespace

TOOLPOST_PLUGIN(toolpost::Plugin<Clock>({.id = "io.toolpost.clock",
                                         .name = "Clock",
                                         .version = TOOLPOST_VERSION,
                                         .concurrent = true})
                    .tool("get_current_time", "Tell the current date and time in a time zone",
                          &Clock::get_current_time,
                          {.title = "Current time", .read_only = true, .closed_world = true})
                    .resource_template("time://{+zone}", "time", "The current time in a time zone",
                                       "application/json",
                                       [](const ZoneVariable& of) { return time_in(of.zone); })
                    .completion("zone", zones_like))
