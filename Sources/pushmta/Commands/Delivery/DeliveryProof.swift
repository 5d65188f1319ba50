internal import ArgumentParser
internal import PushOperations

struct DeliveryProof: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proof", abstract: "Send a delivery to a few people first, and print the proof's id.",
        discussion: """
            The proof is a delivery of its own, which is sent now, with priority high and without a rate; its label \
            begins with "proof: ", and nothing of it counts with the real one. Whom the document itself is for makes no \
            difference. A user key that nobody has is warned of; where nobody has any of them, the status is 3.
            """)

    @Argument(
        help: "The delivery document, JSON; - is standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Whom to send to: up to 100 user keys, with commas between them.",
            discussion: "May be given several times.", valueName: "keys"))
    var userKeys: [String] = []

    @OptionGroup var made: TemplateOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !keys.isEmpty else { throw ValidationError("Give --user-keys.") }
    }

    func run() throws {
        let operations = try Operations(config)
        let document = try DocumentFile(file, template: made.template)
        let submitted = try operations.carryOut(
            ProofDelivery(document: document.bytes, documentName: document.name, userKeys: keys))
        try StandardOutput.answer(submitted, json, "\(submitted.id)")
        submitted.announce()
    }

    private var keys: [String] {
        userKeys.flatMap { $0.split(separator: ",") }.map { key in
            var key = key.drop { $0 == " " }
            while key.last == " " { key.removeLast() }
            return String(key)
        }.filter { !$0.isEmpty }
    }
}
