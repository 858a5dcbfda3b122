// warehouse: a small stock, and every class of tool used for what its prefix means.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "roots/roots.h"
#include "stock.h"

namespace {

struct GetLocations {
  bool include_inactive = false;
  TOOLPOST_FIELDS(GetLocations,
                  TOOLPOST_FIELD(include_inactive, "Closed ones too", toolpost::defaulted))
};
struct Locations {
  std::vector<Location> locations;
  TOOLPOST_FIELDS(Locations, TOOLPOST_FIELD(locations))
};

struct GetStock {
  std::optional<std::string> item;
  std::optional<std::int64_t> location;
  TOOLPOST_FIELDS(GetStock, TOOLPOST_FIELD(item, "Name of an item; none: all"),
                  TOOLPOST_FIELD(location, "Number of a location; none: all"))
};
struct Levels {
  std::vector<Level> levels;
  TOOLPOST_FIELDS(Levels, TOOLPOST_FIELD(levels))
};

enum class Status { open, approved };
TOOLPOST_ENUM(Status, TOOLPOST_VALUE(open), TOOLPOST_VALUE(approved))

struct GetOrders {
  std::optional<Status> status;
  TOOLPOST_FIELDS(GetOrders, TOOLPOST_FIELD(status, "none: all"))
};
struct Orders {
  std::vector<Order> orders;
  TOOLPOST_FIELDS(Orders, TOOLPOST_FIELD(orders, "The latest 500, newest first"))
};

struct ReserveStock {
  std::string order;
  std::string item;
  std::int64_t location;
  std::int64_t quantity;
  TOOLPOST_FIELDS(ReserveStock,
                  TOOLPOST_FIELD(order, "Name of the new order", toolpost::min_length(1),
                                 toolpost::max_length(64)),
                  TOOLPOST_FIELD(item, "Name of an item"),
                  TOOLPOST_FIELD(location, "Number of the location that it is to come from"),
                  TOOLPOST_FIELD(quantity, "How many", toolpost::minimum(1),
                                 toolpost::maximum(1'000'000)))
};

struct MoveStock {
  std::string item;
  std::int64_t from;
  std::int64_t to;
  std::int64_t quantity;
  std::string reason = "transfer";
  TOOLPOST_FIELDS(MoveStock, TOOLPOST_FIELD(item, "Name of an item"),
                  TOOLPOST_FIELD(from, "Number of the location that gives"),
                  TOOLPOST_FIELD(to, "Number of the location that gets"),
                  TOOLPOST_FIELD(quantity, "How many", toolpost::minimum(1),
                                 toolpost::maximum(1'000'000)),
                  TOOLPOST_FIELD(reason, "For the record", toolpost::max_length(200)))
};
struct Moved {
  std::int64_t movement = 0;
  std::vector<Level> levels;
  TOOLPOST_FIELDS(Moved, TOOLPOST_FIELD(movement, "Its number in the record"),
                  TOOLPOST_FIELD(levels, "Of the item, as they are now"))
};

// What the host tells a tool that runs after an action: here only the arguments matter.
struct AfterMove {
  MoveStock arguments;
  TOOLPOST_FIELDS(AfterMove, TOOLPOST_FIELD(arguments, "Those of pre_move_stock"))
};
struct Low {
  std::vector<Level> low;
  TOOLPOST_FIELDS(Low, TOOLPOST_FIELD(low, "Items to order again, at the location that gave"))
};

struct ApproveOrder {
  std::string order;
  TOOLPOST_FIELDS(ApproveOrder, TOOLPOST_FIELD(order, "Name of an open order"))
};

struct Recount {
  bool mend = false;
  TOOLPOST_FIELDS(Recount, TOOLPOST_FIELD(mend, "Set them right", toolpost::defaulted))
};

class Warehouse {
 public:
  struct Settings {
    std::string folder;
    TOOLPOST_FIELDS(Settings,
                    TOOLPOST_FIELD(folder, "Where stock.db is kept; empty: in memory alone",
                                   toolpost::defaulted))
  };

  explicit Warehouse(const Settings& settings)
      : path_(settings.folder.empty()
                  ? ":memory:"
                  : path_of_setting(settings.folder, "/folder of plugin warehouse") + "/stock.db") {
  }

  Locations get_locations(const GetLocations& args) {
    return {stock().locations(args.include_inactive)};
  }
  Levels get_stock(const GetStock& args) { return {stock().levels(args.item, args.location)}; }
  Orders get_orders(const GetOrders& args) {
    if (!args.status) return {stock().orders(std::nullopt)};
    return {stock().orders(*args.status == Status::open ? "open" : "approved")};
  }

  Order reserve(const ReserveStock& args) {
    return stock().reserve({args.order, args.item, args.location, args.quantity, ""});
  }
  Moved move(const MoveStock& args) {
    Stock& open = stock();
    const std::int64_t number =
        open.move(args.item, args.from, args.to, args.quantity, args.reason);
    return {number, open.levels(args.item, std::nullopt)};
  }
  Low after_move(const AfterMove& args) { return {stock().low(args.arguments.from)}; }
  Order approve(const ApproveOrder& args, toolpost::Context& call) {
    return stock().approve(args.order, std::string(call.principal()));
  }
  Levels recount(const Recount& args) { return {stock().recount(args.mend)}; }

 private:
  // Opened by the first call: the trial of a new library may not write.
  Stock& stock() {
    if (stock_ == nullptr) stock_ = std::make_unique<Stock>(path_);
    return *stock_;
  }

  std::string path_;
  std::unique_ptr<Stock> stock_;
};

toolpost::ToolOptions reading(const char* title) {
  return {.title = title, .read_only = true, .closed_world = true};
}
toolpost::ToolOptions writing(const char* title) {
  return {.title = title, .closed_world = true};
}

}  // namespace

TOOLPOST_PLUGIN(
    toolpost::Plugin<Warehouse>(
        {.id = "io.toolpost.warehouse", .name = "Warehouse", .version = TOOLPOST_VERSION})
        // Standard: they only read.
        .tool("get_locations", "List the warehouse's locations", &Warehouse::get_locations,
              reading("Locations"))
        .tool("get_stock", "Tell what is on hand, reserved and available, by item and location",
              &Warehouse::get_stock, reading("Stock levels"))
        .tool("get_orders", "List orders that stock is reserved for, or was",
              &Warehouse::get_orders, reading("Orders"))
        // pre_: a person confirms each.
        .tool("pre_reserve_stock", "Make an order and reserve stock for it", &Warehouse::reserve,
              {.title = "Reserve stock",
               .idempotent = true,
               .not_destructive = true,
               .closed_world = true})
        .tool("pre_move_stock", "Move stock from one location to another", &Warehouse::move,
              writing("Move stock"))
        // post_: the host runs it after pre_move_stock, by its name.
        .tool("post_move_stock", "Tell what ran low at the location that stock was moved from",
              &Warehouse::after_move, reading("What ran low"))
        // priv_: a person gives a one-time code.
        .tool("priv_approve_order", "Approve an open order: its stock leaves the warehouse",
              &Warehouse::approve, writing("Approve an order"))
        // _: for the host and its plugins, never for a peer.
        .tool("_recount",
              "Find levels that are not what the movements add up to, and set them right",
              &Warehouse::recount, {.title = "Recount", .idempotent = true, .closed_world = true}))
