import PushConnectors
import PushModel
import TestSupport
import Testing

struct GatewayAnswersReferencePageTests {
    private static let page = GatewayAnswersPage(of: ConnectorCatalogue.answerTables).text

    @Test func `the page of gateways' answers is generated from the engine's tables`() throws {
        try ReferencePage("GatewayAnswers.md").check(Self.page)
        #expect(GatewayAnswer.page == "Reference/GatewayAnswers.md")
    }

    @Test func `the page has one section for each reason code, at the anchor to which commands refer`() {
        let headings = Self.page.split(separator: "\n").filter { $0.hasPrefix("### ") }.map {
            $0.dropFirst(4)
        }
        #expect(Set(headings).count == headings.count)
        for answer in ConnectorCatalogue.answerTables.flatMap(\.answers) {
            #expect(headings.contains(Substring(answer.heading)), "\(answer.heading)")
            #expect(Self.page.contains("(#\(answer.anchor))"), "\(answer.anchor)")
            #expect(answer.link == "Docs/Reference/GatewayAnswers.md#\(answer.anchor)")
        }
        // The anchors of gateways and of reason codes share the page.
        let gateways = ConnectorCatalogue.answerTables.map {
            $0.gateway.lowercased().replacing(" ", with: "-")
        }
        let words = Set(ConnectorCatalogue.answerTables.flatMap(\.answers).map(\.anchor))
        #expect(words.count == headings.count && words.isDisjoint(with: gateways))
    }
}
