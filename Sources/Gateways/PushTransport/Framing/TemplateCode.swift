/// A template in one connection's encoding. It contains the bytes that the template's requests share, which
/// are valid for one generation of HPACK's table, and determines when the template's fields are inserted into
/// that table.
struct TemplateCode {
    /// The position of a variable field's name in the code. The field's value follows the name.
    struct Cut: BitwiseCopyable {
        var nameStart: Int32 = 0
        var nameEnd: Int32 = 0
    }

    let template: RequestTemplate
    private let variableCount: Int
    /// Unsafe for speed, because the code is copied for each message. Its size is
    /// ``RequestTemplate/maxConstantBytes``, with one cut per variable.
    private let code: UnsafeMutableRawPointer
    private let cuts: UnsafeMutablePointer<Cut>
    private var codeBytes = 0
    /// The generation of the table to which the code refers; 0 if there is no code.
    private var generation: UInt32 = 0
    /// The number of requests that have used the template so far.
    var uses = 0
    /// The number of requests after which the fields that only this template has are inserted into the table.
    private var insertsAt = usesBeforeInserting
    /// The number of times that the fields that only this template has were inserted.
    private var insertions = 0
    /// The number of the template's requests that are not framed yet.
    var waiting = 0

    /// The number of requests before a template's own fields are first inserted into the table. The 4096
    /// bytes of the table suffice for the fields of 15 to 30 jobs. The fields of a delivery to a few devices
    /// would only evict fields that other jobs use.
    private static let usesBeforeInserting = 32
    /// The number of requests after which the code checks whether other templates have evicted the fields
    /// from the table.
    private static let usesBetweenChecks = 1024

    init(_ template: RequestTemplate) {
        self.template = template
        variableCount = template.variableCount
        code = .allocate(byteCount: template.maxConstantBytes, alignment: 16)
        cuts = .allocate(capacity: max(1, template.variableCount))
        cuts.initialize(repeating: Cut(), count: max(1, template.variableCount))
    }

    func free() {
        code.deallocate()
        cuts.deallocate()
    }

    // MARK: Every request

    /// Returns the size of the block, in bytes.
    @inline(__always)
    func blockBytes(variables: UInt32, of memory: UnsafeMutableRawPointer) -> Int {
        var total = codeBytes
        for variable in 0..<variableCount {
            if variables & 1 << UInt32(variable) != 0 {
                let length = RequestMemory.value(of: variable, in: memory).count
                total += HPACKInteger.lengthBytes(length) + length
            } else {
                total -= Int(cuts[variable].nameEnd - cuts[variable].nameStart)
            }
        }
        return total
    }

    /// Writes the block.
    /// - Parameter target: Memory of at least ``blockBytes(variables:of:)`` bytes.
    @inline(__always)
    func write(variables: UInt32, of memory: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
        var (from, to) = (0, target)
        for variable in 0..<variableCount {
            let isSet = variables & 1 << UInt32(variable) != 0
            let until = Int(isSet ? cuts[variable].nameEnd : cuts[variable].nameStart)
            to.copyMemory(from: code + from, byteCount: until - from)
            to += until - from
            from = Int(cuts[variable].nameEnd)
            guard isSet else { continue }
            let value = RequestMemory.value(of: variable, in: memory)
            to += HPACKInteger.writeLength(value.count, to: to)
            UnsafeMutableRawBufferPointer(start: to, count: value.count).copyMemory(from: value)
            to += value.count
        }
        to.copyMemory(from: code + from, byteCount: codeBytes - from)
    }

    // MARK: The first requests

    /// Reports whether the code is valid for the next request.
    @inline(__always)
    func isCurrent(_ generation: UInt32) -> Bool { self.generation == generation && uses < insertsAt }

    /// Creates the code for the current table. Returns false if this request has to change the table first.
    mutating func prepare(
        _ encoder: HPACKEncoder, indexesSecrets: Bool, variables: UInt32, of memory: UnsafeMutableRawPointer
    ) -> Bool {
        generation = 0
        guard !encoder.owesUpdate else { return false }
        var plan = TablePlan(
            encoder, of: template, insertsTemplate: uses >= insertsAt, indexesSecrets: indexesSecrets)
        var steady = encoder
        var bytes: [UInt8] = []
        var variable = 0
        for part in template.parts {
            guard part.kind == .variable else {
                let literal = plan.literal(of: part, valueBytes: part.value.count, by: encoder)
                guard literal != .inserted else { return false }
                steady.append(part.name, part.value, else: literal, to: &bytes)
                continue
            }
            if variables & 1 << UInt32(variable) != 0 {
                let value = RequestMemory.value(of: variable, in: memory)
                guard plan.literal(of: part, valueBytes: value.count, by: encoder) != .inserted else {
                    return false
                }
            }
            cuts[variable].nameStart = Int32(bytes.count)
            encoder.appendName(part.name, as: .plain, to: &bytes)
            cuts[variable].nameEnd = Int32(bytes.count)
            variable += 1
        }
        precondition(bytes.count <= template.maxConstantBytes, "the template is longer than its limit")
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: code, count: $0.count).copyMemory(from: $0)
        }
        codeBytes = bytes.count
        generation = encoder.generation
        if uses >= insertsAt { insertsAt = uses + Self.usesBetweenChecks }
        return true
    }

    /// Encodes one request and inserts into the table those of its fields that ``TablePlan`` selects.
    mutating func encodeInserting(
        _ encoder: inout HPACKEncoder, indexesSecrets: Bool, variables: UInt32,
        of memory: UnsafeMutableRawPointer
    ) -> [UInt8] {
        generation = 0
        var block: [UInt8] = []
        encoder.appendUpdates(to: &block)
        let insertsTemplate = uses >= insertsAt
        var plan = TablePlan(
            encoder, of: template, insertsTemplate: insertsTemplate, indexesSecrets: indexesSecrets)
        var variable = 0
        for part in template.parts {
            var value = part.value
            if part.kind == .variable {
                defer { variable += 1 }
                guard variables & 1 << UInt32(variable) != 0 else { continue }
                value = Array(RequestMemory.value(of: variable, in: memory))
            }
            let literal = plan.literal(of: part, valueBytes: value.count, by: encoder)
            encoder.append(part.name, value, else: literal, to: &block)
        }
        if insertsTemplate {
            // If templates evict each other's fields from the table, they insert their fields less and less
            // often.
            insertions += 1
            insertsAt = uses + Self.usesBeforeInserting << min(insertions, 24)
        }
        return block
    }
}

/// Decides which fields of one block are inserted into the table: as many as fit into the table together,
/// starting with the fields that all templates of the connection have.
private struct TablePlan {
    private let insertsTemplate, indexesSecrets: Bool
    /// The remaining bytes for all fields, and for the fields that only this template has.
    private var left, leftForTemplate: Int

    init(_ encoder: HPACKEncoder, of template: RequestTemplate, insertsTemplate: Bool, indexesSecrets: Bool) {
        (self.insertsTemplate, self.indexesSecrets) = (insertsTemplate, indexesSecrets)
        left = encoder.maxTableBytes
        leftForTemplate = left
        for part in template.parts where part.kind != .variable && !part.isOfTemplate && !part.isStatic {
            if part.kind == .secret, !indexesSecrets { continue }
            leftForTemplate -= HPACKEncoder.size(of: part.name.count, part.value.count)
        }
    }

    /// Returns the representation of the next field if it is not in a table.
    mutating func literal(
        of part: RequestTemplate.Part, valueBytes: Int, by encoder: HPACKEncoder
    ) -> HPACKEncoder.Literal {
        let fallback: HPACKEncoder.Literal = part.kind == .secret ? .neverIndexed : .plain
        let size = HPACKEncoder.size(of: part.name.count, valueBytes)
        guard left >= size, !part.isStatic, part.kind != .secret || indexesSecrets else { return fallback }
        if part.kind == .variable, encoder.index(of: part.name) != nil { return .plain }
        let isKnown = part.kind != .variable && encoder.index(of: part.name, part.value) != nil
        if part.isOfTemplate {
            guard leftForTemplate >= size, isKnown || insertsTemplate else { return .plain }
            leftForTemplate -= size
        }
        left -= size
        return isKnown ? .plain : .inserted
    }
}
