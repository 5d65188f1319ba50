internal import PushModel

/// The values that fill the placeholders of a content in all its languages. It determines which of them a
/// message lacks before the message is accepted, so that the message can be refused instead of being excluded
/// when it is rendered.
///
/// **Promises.** If nothing is missing, rendering with the same values finds a value for each placeholder,
/// whatever the device's language is.
package struct NeededValues: Sendable {
    /// A place at which rendering needs a value or may skip a section.
    private enum Step: Sendable {
        /// An index into ``PersonalProgram/values``.
        case value(Int)
        /// An index into ``PersonalProgram/sections``, and the index of the first step after the section.
        case section(Int, end: Int)
    }

    /// The content of one language, or the content for all other languages.
    private struct Version: Sendable {
        let program: PersonalProgram
        let steps: [Step]
    }

    private let versions: [Version]
    /// The names of all values that the content uses, each once.
    package let names: [String]

    package init(_ template: PayloadTemplate) {
        versions = ([template] + (template.languages?.templates ?? [])).compactMap { template in
            template.personal.map { Version(program: $0, steps: Self.steps(of: template, $0)) }
        }
        names = versions.reduce(into: []) { names, version in
            let known = Set(names.map(ExactText.init))
            names += version.program.plan.plainNames.filter { !known.contains(ExactText($0)) }
        }
    }

    private static func steps(of template: PayloadTemplate, _ program: PersonalProgram) -> [Step] {
        func isStep(_ cut: PayloadTemplate.Cut) -> Bool {
            switch cut.slot {
            case .value, .section: true
            default: false
            }
        }
        return template.cuts.compactMap { cut in
            switch cut.slot {
            case .value(let place): .value(place)
            case .section(let place):
                .section(place, end: template.cuts[..<program.sections[place].endCut].count(where: isStep))
            default: nil
            }
        }
    }

    /// Returns what a message lacks: names, each followed by a colon and the format if there is a value that
    /// cannot be written in the format.
    /// - Parameter values: JSON objects of texts, one after the other. If several of them contain the same
    ///   name, the last value applies.
    package func missing(in values: [UInt8]) -> [String] {
        var missing: [String] = []
        for version in versions {
            for lack in Self.missing(version, values) where !missing.contains(lack) { missing.append(lack) }
        }
        return missing
    }

    private static func missing(_ version: Version, _ values: [UInt8]) -> [String] {
        let program = version.program
        var ranges = [Range<Int>](repeating: 0..<0, count: program.names.count)
        // Unsafe only because the scan and the values lend bytes. The buffers belong to the arrays.
        return unsafe values.withUnsafeBytes { bytes in
            unsafe ranges.withUnsafeMutableBufferPointer { found in
                if !program.names.isEmpty {
                    var scan = unsafe ParameterScan(bytes)
                    unsafe scan.find(program, found)
                }
                return missing(version, unsafe ParameterValues(bytes, found))
            }
        }
    }

    private static func missing(_ version: Version, _ values: ParameterValues) -> [String] {
        let program = version.program
        var (missing, index): ([String], Int) = ([], 0)
        while index < version.steps.count {
            let step = version.steps[index]
            index += 1
            switch step {
            case .value(let place):
                let value = program.values[place]
                let isThere = values.has(value.name)
                guard value.fallback == nil, !isThere || !isWritable(value, values) else { continue }
                missing.append(program.plan.missing(place << 1 | (isThere ? 1 : 0)))
            case .section(let place, let end):
                let section = program.sections[place]
                if values.isOn(section.name) == section.isInverted { index = end }
            }
        }
        return missing
    }

    private static func isWritable(_ value: PersonalProgram.Value, _ values: ParameterValues) -> Bool {
        guard let format = value.format else { return true }
        // The buffer is empty, so the pen only counts.
        var pen = unsafe BoundedWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        return unsafe pen.write(values[value.name], as: format, of: .neutral)
    }
}
