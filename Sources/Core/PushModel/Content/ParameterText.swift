/// A subscriber's parameters as the store keeps them: a JSON object of texts.
package enum ParameterText {
    /// Maximum length of a subscriber's parameters, in bytes of UTF-8.
    package static let maximumBytes = 16_384

    /// Returns the JSON object of these parameters, or `nil` if there are none.
    package static func json(_ parameters: [RegistrationParameter]) -> String? {
        guard !parameters.isEmpty else { return nil }
        var json = [UInt8(ascii: "{")]
        for parameter in parameters {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONText.append(parameter.name, to: &json)
            json.append(UInt8(ascii: ":"))
            JSONText.append(parameter.value, to: &json)
        }
        json.append(UInt8(ascii: "}"))
        return String(decoding: json, as: UTF8.self)
    }

    /// Applies changes to stored parameters. Returns the changed parameters, or `nil` if none are left.
    ///
    /// If the result would be longer than ``maximumBytes``, the stored parameters are returned unchanged.
    /// Stored text that is not an object of texts counts as no parameters.
    /// - Parameter changes: The changed parameters. An empty value removes its parameter.
    package static func changed(_ stored: String?, by changes: [RegistrationParameter]) -> String? {
        let before = stored.flatMap { parameters(in: Array($0.utf8).span) } ?? []
        let changedNames = Set(changes.map { ExactText($0.name) })
        var after = before.filter { !changedNames.contains(ExactText($0.name)) }
        after += changes.filter { !$0.value.isEmpty }
        after.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let changed = json(after)
        return (changed?.utf8.count ?? 0) <= maximumBytes ? changed : stored
    }

    /// Returns the parameters, or `nil` if the JSON is not an object of texts.
    private static func parameters(in json: Span<UInt8>) -> [RegistrationParameter]? {
        var cursor = JSONCursor()
        guard cursor.take(UInt8(ascii: "{"), in: json) else { return nil }
        var parameters: [RegistrationParameter] = []
        if cursor.take(UInt8(ascii: "}"), in: json) { return parameters }
        repeat {
            var (name, value): ([UInt8], [UInt8]) = ([], [])
            guard cursor.text(in: json, to: &name), cursor.take(UInt8(ascii: ":"), in: json),
                cursor.text(in: json, to: &value)
            else { return nil }
            parameters.append(
                RegistrationParameter(
                    name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)
                ))
        } while cursor.take(UInt8(ascii: ","), in: json)
        return cursor.take(UInt8(ascii: "}"), in: json) ? parameters : nil
    }

    /// Returns the value of one parameter as UTF-8, without parsing the other values, or `nil` if the
    /// parameter does not exist or is not a text.
    /// - Parameter parameters: The stored object; empty if there are no parameters.
    package static func value(of name: String, in parameters: Span<UInt8>) -> [UInt8]? {
        var cursor = JSONCursor()
        guard cursor.take(UInt8(ascii: "{"), in: parameters) else { return nil }
        repeat {
            var text: [UInt8] = []
            guard cursor.text(in: parameters, to: &text), cursor.take(UInt8(ascii: ":"), in: parameters)
            else {
                return nil
            }
            let isWanted = text.elementsEqual(name.utf8)
            text.removeAll(keepingCapacity: true)
            if isWanted { return cursor.text(in: parameters, to: &text) ? text : nil }
            guard cursor.skipValue(in: parameters, &text) else { return nil }
        } while cursor.take(UInt8(ascii: ","), in: parameters)
        return nil
    }
}
