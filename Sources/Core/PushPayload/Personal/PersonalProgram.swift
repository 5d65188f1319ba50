internal import PushModel

/// A ``PersonalPlan`` in the form that rendering reads once for each message. It is one object whose tables
/// contain only numbers, so that reading them changes no reference counts. Texts are stored in one array, end
/// to end.
@usableFromInline
final class PersonalProgram: Equatable, Sendable {
    /// The name of a parameter.
    struct Name: Sendable {
        /// The first bytes of the name (``Head/of(_:)``), which distinguish most names from all others.
        var head: UInt64
        /// The range within ``PersonalProgram/texts``.
        var bytes: Range<Int>
    }

    struct Value: Sendable {
        /// The index into ``PersonalProgram/names``.
        var name: Int
        /// The range within ``PersonalProgram/texts``; `nil` if a message without the parameter is not sent.
        var fallback: Range<Int>?
        /// The format in which the value is written; `nil` if it is written unchanged.
        var format: ValueFormat?
    }

    let plan: PersonalPlan
    let texts: [UInt8]
    let names: [Name]
    let values: [Value]
    let sections: [PersonalPlan.Section]

    init(_ plan: PersonalPlan) {
        var texts: [UInt8] = []
        func add(_ text: [UInt8]) -> Range<Int> {
            texts += text
            return texts.count - text.count..<texts.count
        }
        names = plan.names.map { name in
            unsafe Name(head: name.withUnsafeBytes { unsafe Head.of($0, 0..<name.count) }, bytes: add(name))
        }
        values = plan.values.map {
            Value(name: $0.name, fallback: $0.fallback.map(add), format: $0.format)
        }
        sections = plan.sections
        self.plan = plan
        self.texts = texts
    }

    /// The first eight bytes of a name as one number, padded with zeros if the name is shorter.
    enum Head {
        /// - Parameter range: The range of the name. No byte after the end of the bytes is read.
        @inline(__always)
        @unsafe static func of(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64 {
            let size = min(range.count, 8)
            guard range.lowerBound + 8 <= bytes.count else {
                return unsafe bytes[range].prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            let word = unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self))
            return word & (size == 8 ? .max : 1 << UInt64(8 * size) &- 1)
        }
    }

    @usableFromInline
    static func == (left: PersonalProgram, right: PersonalProgram) -> Bool { left.plan == right.plan }

    /// Returns the number and date format of a device's language.
    @unsafe func format(_ language: UnsafeRawBufferPointer) -> LanguageFormat {
        guard let formats = plan.formats else { return .neutral }
        return unsafe formats.formats[formats.place(of: language)]
    }
}
