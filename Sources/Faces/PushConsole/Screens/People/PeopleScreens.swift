internal import PushAPI
internal import PushModel
internal import PushWire

/// The people who use the console, their roles and their sessions. Changes need the password again.
enum PeopleScreens: ScreenGroup {
    static let notices = [roleSet, removed, sessionsEnded]
    private static let roleSet = Notice("person.role", .roleSet)
    private static let removed = Notice("person.removed", .removed)
    private static let sessionsEnded = Notice("person.sessions-ended", .sessionsEnded)

    static let routes: [ConsoleRoute] = [
        ConsoleRoute(.get, "/people", needs: .people) { visit in .page(try PeoplePages.list(visit)) },
        ConsoleRoute(.get, "/people/new", needs: .people) { visit in .page(try PeoplePages.creation(visit)) },
        ConsoleRoute(.post, "/people/new", needs: .people, guarded: true, once: true) { visit in
            let attempt = try visit.attempt(fields: PeoplePages.fields) {
                var create = CreatePerson()
                (create.name, create.fields) = (visit.form["name"] ?? "", PeoplePages.roleFields(visit.form))
                return try visit.carryOut(create)
            }
            switch attempt {
            case .done(let new): return .outcome(PeoplePages.link(visit, new, .createdTitle))
            case .refused(let errors): return .refused(422, try PeoplePages.creation(visit, errors))
            }
        },
        ConsoleRoute(.get, "/people/{name}", needs: .people) { visit in
            .page(try PeoplePages.show(visit, try person(visit)))
        },
        ConsoleRoute(.post, "/people/{name}/role", needs: .people, guarded: true) { visit in
            let attempt = try visit.attempt(fields: PeoplePages.fields) {
                var change = SetPersonRole()
                (change.name, change.fields) = (visit.name("name"), PeoplePages.roleFields(visit.form))
                return try visit.carryOut(change)
            }
            switch attempt {
            case .done(let person): return .redirect("/people/\(person.name)", notice: roleSet)
            case .refused(let errors):
                return .refused(422, try PeoplePages.show(visit, try person(visit), visit.form, errors))
            }
        },
        ConsoleRoute(.get, "/people/{name}/reset", needs: .people) { visit in
            .page(PeoplePages.reset(visit, try person(visit)))
        },
        ConsoleRoute(.post, "/people/{name}/reset", needs: .people, guarded: true, once: true) { visit in
            var reset = ResetPerson()
            reset.name = visit.name("name")
            return .outcome(PeoplePages.link(visit, try visit.carryOut(reset), .resetDone))
        },
        ConsoleRoute(.get, "/people/{name}/remove", needs: .people) { visit in
            .page(PeoplePages.removal(visit, try person(visit)))
        },
        ConsoleRoute(.post, "/people/{name}/remove", needs: .people, guarded: true) { visit in
            var remove = RemovePerson()
            remove.name = visit.name("name")
            _ = try visit.carryOut(remove)
            return .redirect("/people", notice: removed)
        },
        ConsoleRoute(.post, "/people/{name}/sessions/end", needs: .people, guarded: true) { visit in
            var end = EndSessions()
            end.name = visit.name("name")
            end.session = visit.form.number("session").map(Int64.init)
            _ = try visit.carryOut(end)
            return .redirect("/people/\(end.name)", notice: sessionsEnded)
        },
    ]

    private static func person(_ visit: Visit) throws -> PersonView {
        var show = ShowPerson()
        show.name = visit.name("name")
        return try visit.carryOut(show)
    }
}

extension Role {
    var hint: Phrase {
        switch self {
        case .viewer:
            Phrase(
                "Reads deliveries, statistics and subscribers",
                "Sieht Zustellungen, Statistiken und Abonnenten")
        case .marketer: Phrase("Also submits and controls deliveries", "Sendet und steuert auch Zustellungen")
        case .operator:
            Phrase(
                "Also changes services, apps, quarantine and tokens",
                "Ändert auch Dienste, Apps, Quarantäne und Token")
        case .admin: Phrase("Also manages people", "Verwaltet auch Personen")
        }
    }
}

extension Phrase {
    fileprivate static let roleSet = Phrase("The role was changed.", "Die Rolle wurde geändert.")
    fileprivate static let removed = Phrase("The person was removed.", "Die Person wurde entfernt.")
    fileprivate static let sessionsEnded = Phrase("The sessions were ended.", "Die Sitzungen wurden beendet.")
    fileprivate static let createdTitle = Phrase("The person was created", "Die Person wurde angelegt")
    fileprivate static let resetDone = Phrase("The password was deleted", "Das Passwort wurde gelöscht")
}
