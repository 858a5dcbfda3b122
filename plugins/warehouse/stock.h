// What lies where, what is promised to whom, and every change of it.
//
// A level is on hand and reserved, of one item at one location; what is available is the
// difference, and never negative. Orders reserve, and are open until they are approved, which takes
// what they reserved out of the stock. Each change of what is on hand is a movement, so that the
// levels can be counted again from the movements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <toolpost/toolpost.hpp>

#include "store.h"

struct Location {
  std::int64_t id = 0;
  std::string name;
  toolpost::Field<bool, "Its stock is kept in bins"> use_bins = false;
  bool active = true;
};

struct Level {
  std::string item;
  std::string description;
  std::int64_t location = 0;
  std::int64_t on_hand = 0;
  std::int64_t reserved = 0;
  std::int64_t available = 0;
};

struct Order {
  std::string order;
  std::string item;
  std::int64_t location = 0;
  std::int64_t quantity = 0;
  toolpost::Field<std::string, "open or approved"> status;
};

// One thread at a time. Throws toolpost::Error where a caller asked for what cannot be.
class Stock {
 public:
  // path: a file, or ":memory:". A new one begins with an example's stock.
  explicit Stock(const std::string& path);

  std::vector<Location> locations(bool include_inactive);
  std::vector<Level> levels(const std::optional<std::string>& item,
                            std::optional<std::int64_t> location);
  std::vector<Order> orders(const std::optional<std::string>& status);

  // A new order, with stock promised to it. The same order told twice is one.
  Order reserve(const Order& wanted);
  // The number of the movement.
  std::int64_t move(const std::string& item, std::int64_t from, std::int64_t to,
                    std::int64_t quantity, const std::string& reason);
  // Its stock leaves. An order that is approved already is an error.
  Order approve(const std::string& order, const std::string& by);

  // Items that have no more than their reorder point available, at this location.
  std::vector<Level> low(std::int64_t location);

  // Levels that are not what the movements add up to; with `mend` they are set right.
  std::vector<Level> recount(bool mend);

 private:
  void begin();
  Level level(const std::string& item, std::int64_t location);
  void check_item(const std::string& item);
  void check_location(std::int64_t id);
  void change(const std::string& item, std::int64_t location, std::int64_t quantity,
              const std::string& reason);

  Store store_;
};
