internal import PushModel

/// A ``PersonalPlan`` as rendering reads it, once for each message: one object whose tables hold numbers alone, so
/// that no count of references changes for what they say. Texts stand in one array, end to end.
@usableFromInline
final class PersonalProgram: Equatable, Sendable {
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
    /// Within ``texts``.
    let names: [Range<Int>]
    let values: [Value]
    let sections: [PersonalPlan.Section]

    init(_ plan: PersonalPlan) {
        var texts: [UInt8] = []
        func add(_ text: [UInt8]) -> Range<Int> {
            texts += text
            return texts.count - text.count..<texts.count
        }
        names = plan.names.map(add)
        values = plan.values.map {
            Value(name: $0.name, fallback: $0.fallback.map(add), format: $0.format)
        }
        sections = plan.sections
        self.plan = plan
        self.texts = texts
    }

    @usableFromInline
    static func == (left: PersonalProgram, right: PersonalProgram) -> Bool { left.plan == right.plan }

    /// How a device's language writes numbers and dates.
    @unsafe func format(_ language: UnsafeRawBufferPointer) -> LanguageFormat {
        guard let formats = plan.formats else { return .neutral }
        return unsafe formats.formats[formats.place(of: language)]
    }
}
