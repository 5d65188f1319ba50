/// One parameter of a subscriber, where a parsed value of all of them would cost more than what is done with it.
package enum ParameterText {
    /// What the parameter says, as UTF-8; nil: there is none, it is no text, or these are no parameters.
    /// - Parameter parameters: as the store has them; empty: none.
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
