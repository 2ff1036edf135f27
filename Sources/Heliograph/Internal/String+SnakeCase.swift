extension String {
  /// The coding key in snake case, as `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase` makes it.
  ///
  /// A new word begins at an upper-case letter that follows a lower-case one, and at the last of several upper-case letters
  /// before a lower-case one: `myURLProperty` becomes `my_url_property`.
  var snakeCased: String {
    let characters = Array(self)
    var result = ""
    for (index, character) in characters.enumerated() {
      let previous = index > 0 ? characters[index - 1] : nil
      let next = index + 1 < characters.count ? characters[index + 1] : nil
      if character.isUppercase, let previous, previous != "_",
        !previous.isUppercase || next?.isLowercase == true
      {
        result.append("_")
      }
      result += character.lowercased()
    }
    return result
  }
}
