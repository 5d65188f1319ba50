import Foundation
import PushConfig
import PushConnectors
import TestSupport
import Testing

/// Tests with the shipped file, damaged in many ways: the reader always returns a result, and every finding
/// has a position in the file.
@Suite struct ConfigurationFileMutationTests {
    private let sample: [UInt8]
    init() throws { sample = Array(try Data(contentsOf: Repository.file("serverConf.xml"))) }

    @Test func `a file that is truncated at any offset is refused with a position inside the file`() {
        let end = (sample.lastIndex(of: UInt8(ascii: ">")) ?? 0) + 1
        for length in 0..<end {
            let bytes = Array(sample[..<length])
            guard case .failure(let error) = parsed(bytes: bytes) else {
                Issue.record("accepted at \(length)")
                continue
            }
            #expect(error.cause == .refused && error.findings.count == 1)
            expectSound(error.findings, in: bytes, "cut at \(length)")
        }
        for length in end...sample.count {
            #expect((try? parsed(bytes: Array(sample[..<length])).get()) != nil)
        }
    }

    @Test(arguments: 1...8)
    func `a randomly damaged file yields settings or errors with their positions`(seed: UInt64) {
        var dice = SeededRandom(seed: seed)
        var accepted = 0
        for round in 0..<150 {
            var bytes = sample
            for _ in 0...Int.random(in: 0..<4, using: &dice) { mutate(&bytes, &dice) }
            switch parsed(bytes: bytes) {
            case .success(let loaded):
                accepted += 1
                #expect(loaded.origins.count == ConnectorCatalogue.settings.keys.count)
                #expect(!loaded.findings.contains { $0.severity == .error })
                expectSound(loaded.findings, in: bytes, "seed \(seed) round \(round)")
            case .failure(let error):
                #expect(error.findings.contains { $0.severity == .error })
                expectSound(error.findings, in: bytes, "seed \(seed) round \(round)")
            }
        }
        #expect(accepted > 0 && accepted < 150, "the damage is neither always fatal nor always harmless")
    }

    private let fragments = [
        "<", ">", "/>", "\"", "'", "=", "&", "&amp;", "&#0;", "&#x41;", "&x;", "<!--", "-->", "<![CDATA[",
        "]]>", "<?",
        "?>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]>", "\0", "\r", "\u{FEFF}", "é", "$(", "$(INSTANCE_NAME)", "-1",
        "99999999999999999999",
        "<mta>", "</mta>", "<child ", " autoStart=\"true\"", "xmlns:a=\"b\"", "a:b", "true", "5m", ".5",
    ].map { Array($0.utf8) }

    private func mutate(_ bytes: inout [UInt8], _ dice: inout SeededRandom) {
        let at = Int.random(in: 0..<max(1, bytes.count), using: &dice)
        let length = min(Int.random(in: 1...40, using: &dice), bytes.count - at)
        switch Int.random(in: 0..<6, using: &dice) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
        case 1: bytes[at] = UInt8.random(in: 0...255, using: &dice)
        case 2: bytes.removeSubrange(at..<at + length)
        case 3:
            bytes.insert(
                contentsOf: bytes[at..<at + length], at: Int.random(in: 0...bytes.count, using: &dice))
        case 4: bytes.insert(contentsOf: fragments.randomElement(using: &dice) ?? [], at: at)
        default: replaceValue(&bytes, from: at, &dice)
        }
    }

    /// Replaces the next attribute's value with a fragment.
    private func replaceValue(_ bytes: inout [UInt8], from at: Int, _ dice: inout SeededRandom) {
        let quote = UInt8(ascii: "\"")
        guard let open = bytes[at...].firstIndex(of: quote),
            let close = bytes[(open + 1)...].firstIndex(of: quote)
        else {
            return
        }
        bytes.replaceSubrange(open + 1..<close, with: fragments.randomElement(using: &dice) ?? [])
    }

    private func expectSound(_ findings: [Finding], in bytes: [UInt8], _ story: String) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for finding in findings {
            let isInside =
                1...lines.count ~= finding.line && 1...lines[finding.line - 1].count + 1 ~= finding.column
            #expect(isInside, "\(story): \(finding)")
            #expect(
                !finding.message.isEmpty && !finding.message.contains(where: \.isNewline),
                "\(story): \(finding)")
        }
    }
}
