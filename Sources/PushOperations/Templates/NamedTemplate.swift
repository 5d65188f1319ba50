internal import PushModel
internal import PushStore
internal import PushWire

/// A template that somebody named, as it was found.
struct NamedTemplate: Sendable {
    var stored: StoredTemplate
    /// What it says.
    var value: JSONValue

    var version: TemplateVersion { TemplateVersion(name: stored.name, version: stored.version) }
}

extension Operations {
    /// The template that somebody named. - Parameter refusal: what to make of words that say which there are.
    /// - Throws: there is none of that name, or of that version.
    func template(
        _ reference: TemplateReference, of service: Service, refusal: (String) -> OperationError
    ) throws -> NamedTemplate {
        let (templates, name) = (store.templates, reference.name)
        let shown = name.printable(atMost: 64)
        guard
            let stored = try templates.template(named: name, of: service.id, version: reference.version)
        else {
            if let kept = try templates.template(named: name, of: service.id)?.versions {
                let versions =
                    kept.count == 1
                    ? "there is version \(kept.lowerBound)"
                    : "there are versions \(kept.lowerBound) to \(kept.upperBound)"
                throw refusal(
                    "template \(shown) of service \(service.name) has no version \(reference.version ?? 0); "
                        + versions)
            }
            let names = try templates.names(of: service.id)
            let list = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
            throw refusal(
                "service \(service.name) has no template \(shown); "
                    + (names.isEmpty ? "save one with 'template save'" : "it has: \(list)"))
        }
        do throws(JSONFault) {
            return NamedTemplate(stored: stored, value: try JSONParser.parse(stored.body))
        } catch {
            throw StoreError(
                .unsound(what: "template \(shown) of service \(service.name) is no JSON"),
                path: store.path)
        }
    }
}
