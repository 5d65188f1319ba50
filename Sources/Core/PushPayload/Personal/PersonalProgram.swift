internal import PushModel

/// A ``PersonalPlan`` as rendering reads it, once for each message: one object whose tables hold numbers alone, so
/// that no count of references changes for what they say. Texts stand in one array, end to end.
@usableFromInline
final class PersonalProgram: Equatable, Sendable {
    /// A parameter's.
    struct Name: Sendable {
        /// ``Head/of(_:)`` what it is called: most names differ there from all others.
        var head: UInt64
        /// Within ``PersonalProgram/texts``.
        var bytes: Range<Int>
    }

    struct Value: Sendable {
        /// Index into ``PersonalProgram/names``.
        var name: Int
        /// Within ``PersonalProgram/texts``; nil: a message without the parameter is not sent.
        var fallback: Range<Int>?
        /// How it is to be written; nil: as it is.
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

    /// The first eight bytes of a name as one number, with zeros behind those of a shorter one.
    enum Head {
        /// - Parameter range: of the bytes, which are read no further than their end.
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

    /// How a device's language writes numbers and dates.
    @unsafe func format(_ language: UnsafeRawBufferPointer) -> LanguageFormat {
        guard let formats = plan.formats else { return .neutral }
        return unsafe formats.formats[formats.place(of: language)]
    }
}
