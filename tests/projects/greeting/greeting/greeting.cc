#include "greeting/greeting.h"

#include "greeting/punctuation.h"
#include "greeting/words.h"

namespace greeting {

std::string Greet(const std::string& name) {
  std::string text = std::string(WORDS) + ", " + name + PUNCTUATION;
#ifdef LOUD
  text += PUNCTUATION;
#endif
  return text;
}

}  // namespace greeting
