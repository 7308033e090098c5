// SPDX-License-Identifier: Apache-2.0
/// Text from files, in a part to train on and a part that is held out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace actorpipe {

/// Data that cannot be used: names the path and says why.
class data_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// One file, or a part of one. A sample never reaches over its ends.
struct text_document {
  std::string name;  ///< path below the corpus
  std::string bytes; ///< any bytes
};

struct text_corpus {
  std::string path;
  std::vector<text_document> training; ///< by name
  std::vector<text_document> held_out; ///< by name
};

struct text_corpus_options {
  std::string path; ///< a file or a folder
  /// Families of files that are held out whole; see `family_of`.
  std::vector<std::string> held_out_families;
  /// What is held out when no family is named; in (0, 1).
  double held_out_fraction = 0.1;
};

/// The name up to the first '-' that a version follows: "GPL" for "GPL-2",
/// "CC0" for "CC0-1.0", "BSD" for "BSD". Versions of a text share passages, so
/// only a whole family can be held out.
std::string_view family_of(std::string_view file_name);

/// Reads a file, or all files in a folder and the folders in it, sorted by
/// name. Symbolic links below `path` are not followed, files of equal content
/// are read once (under the first name), empty files are left out.
///
/// Held out are the named families; or, when none is named, whole files drawn
/// by a hash of their names until the fraction is reached; or, when the files
/// are too few or too large for that, the tail of the largest one. Which they
/// are depends on names and sizes alone.
///
/// Throws `data_error` for a path that is missing, unreadable or without text,
/// and for a family of which there is no file (naming those there are).
text_corpus load_text_corpus(const text_corpus_options& options);

/// A passage that stands in both parts.
struct shared_passage {
  std::string training; ///< name of the document
  std::string held_out; ///< name of the document
  std::string text;
};

/// The first passage of `length` bytes in the held-out part that also stands
/// in the training part: what is held out must not have been seen. Requires
/// length >= 1.
std::optional<shared_passage> find_shared_passage(const text_corpus& corpus,
                                                  std::size_t length);

} // namespace actorpipe
