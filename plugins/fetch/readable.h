// HTML as text that reads well: headings, lists, links; no scripts, no styles.
//
// It makes no tree and looks at each byte a bounded number of times: a parser that builds one can
// be brought to its knees by tags that are nested deeply enough, and the page is a stranger's.
#pragma once

#include <string>
#include <string_view>

struct Readable {
  std::string title;
  std::string text;
};

Readable readable(std::string_view html);
