"""German."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

GERMAN = LanguagePack(
    code="de",
    decimal=",",
    harmless=phrases(
        """kein problem, gar kein problem, keine ursache, warum nicht, ja warum nicht, wieso nicht, ich habe nichts
            dagegen, hab nichts dagegen, habe nichts dagegen, nichts dagegen, dagegen habe ich nichts, spricht nichts
            dagegen, da spricht nichts dagegen, keine einwände, kein einwand, (es |das |)macht mir nichts aus, (es
            |das |)stört mich nicht, kein thema, keine frage, gar keine frage, ohne frage, ohne zweifel, zweifellos,
            ohne bedenken, keine bedenken, keine änderungen, nichts zu ändern, keine sorge machen sie das"""
    ),
    unsure=phrases(
        """ja oder nein, jein, ja und nein, (ich |)weiß (ich |)nicht, weiß nicht, (ich |)weiß es nicht, keine ahnung,
            (ich |)bin (mir |)nicht sicher, nicht sicher, unsicher, vielleicht, eventuell, möglicherweise, womöglich,
            wahrscheinlich, vermutlich, mal sehen, mal schauen, kommt drauf an, kommt darauf an, es kommt darauf an,
            das kommt darauf an, je nachdem, ich glaube schon, glaube schon, ich denke schon, denke schon, schätze
            ich, ich schätze, ich überlege, ich muss überlegen, muss ich überlegen, ich überlege es mir, lass mich
            überlegen, lassen sie mich überlegen, kaum, na ja, naja, wer weiß, sagen sie ja, sage ja, sag ja, ein ja,
            egal"""
    ),
    no=phrases(
        """nein, nee, ne, nö, nein danke, nein nein, auf keinen fall, keinesfalls, keineswegs, gar nicht, überhaupt
            nicht, bloß nicht, lieber nicht, besser nicht, eher nicht, jetzt nicht, nicht jetzt, noch nicht, jetzt
            noch nicht, heute nicht, nicht heute, im moment nicht, momentan nicht, derzeit nicht, zurzeit nicht,
            gerade nicht, nicht nötig, ist nicht nötig, nicht notwendig, nicht erforderlich, nicht richtig, nicht
            korrekt, stimmt nicht, das stimmt nicht, stimmt so nicht, (das ist |ist |)(falsch|verkehrt|inkorrekt),
            falsch, verkehrt, kein bedarf, kein interesse, kein interesse daran, ich (will|möchte|brauche|mag) (das
            |es |)(nicht|keine|keinen|kein), (will|möchte) ich nicht, brauche ich nicht, das (will|möchte|brauche) ich
            nicht, ich bin dagegen, abgelehnt, ich lehne (das |es |)ab, lehne ich ab, ablehnen, vergiss es, vergessen
            sie es, vergessen sie das, lass es, lass das, lassen sie es, lassen sie das, lass mal, lassen sie mal,
            lassen wir das, lassen wir es, lass gut sein, hör auf, hören sie auf, schon gut, schon gut danke, danke
            nein, ein andermal, ein anderes mal, vielleicht später, später vielleicht, eventuell später,
            wahrscheinlich später, natürlich nicht, sicher nicht, bestimmt nicht, ganz sicher nicht, absolut nicht,
            niemals, nie im leben, mach das nicht, machen sie das nicht, tu das nicht, tun sie das nicht, bitte nicht,
            ich verzichte, verzichte, negativ"""
    ),
    forbids=phrases("nicht, bitte nicht, nie, niemals"),
    holds=phrases(
        """warte, warten, warten sie, wart, moment, moment mal, einen moment, augenblick, einen augenblick, sekunde,
            eine sekunde, halt, stopp mal, später, nachher, danach, demnächst, irgendwann, ein andermal, nächstes mal,
            noch warten, nicht so schnell, langsam, pause, gleich"""
    ),
    changes=phrases(
        """aber, allerdings, jedoch, doch lieber, sondern, stattdessen, statt, anstatt, anstelle, lieber, eher,
            eigentlich, vielmehr, außer, abgesehen von, bis auf, ausgenommen, anders, andere, anderen, anderer,
            anderes, ein anderes, anderswo, ändern, andersrum, umgekehrt, korrektur, ich meine, ich meinte, gemeint,
            meinte, fehler, irrtum, versehen, sollte sein, entschuldigung, sorry, ups, leider, fast, beinahe,
            teilweise, zu (viel|viele|teuer|spät|früh|lang|weit|hoch|klein|groß|laut|wenig|schnell), doch nicht, das
            problem, problem, inzwischen, erst noch, zuerst, zunächst, trotzdem, dagegen"""
    ),
    conditions=phrases(
        """wenn, falls, sofern, solange, es sei denn, vorausgesetzt, unter der bedingung, nur wenn, nur falls, oder,
            sobald, bevor, ehe, bis, nach, nachdem, vor, mehr, weniger, mindestens, höchstens, ob, nur"""
    ),
    negations=phrases(
        """nicht, kein, keine, keinen, keinem, keiner, keines, nichts, niemand, nie, niemals, weder, noch nie,
            nirgends, ungern, schlecht, schlimm, furchtbar, unmöglich, hasse, verbiete, ohne mich, ungültig"""
    ),
    halts=phrases(
        """stop, stopp, stoppe, stoppen, abbrechen, abbruch, brich ab, brechen sie ab, storniere, stornieren,
            stornierung, lösche, löschen, beende, beenden, widerrufen, widerruf, schließen, kündigen, verwerfen"""
    ),
    alters=phrases(
        """ändere, änderung, verschiebe, verschieben, ersetze, ersetzen, tausche, tauschen, wechsle, wechseln, füge,
            hinzufügen, hinzu, entferne, entfernen, streiche, streichen, korrigiere, korrigieren, bearbeiten,
            überspringen, rückgängig"""
    ),
    yes=phrases(
        """ja, jawohl, jo, jep, jup, joa, jaja, ja ja, ja bitte, ja gerne, ja klar, na klar, klar, klaro, na sicher,
            sicher, sicherlich, sicher doch, gewiss, natürlich, selbstverständlich, gerne, gern, sehr gerne, aber ja,
            aber gerne, aber sicher, aber klar, aber natürlich, auf jeden fall, unbedingt, definitiv, absolut,
            bestimmt, freilich, allerdings ja, doch ja, von mir aus, meinetwegen"""
    ),
    clauses=phrases(
        """so ist es, das ist so, das will ich, das möchte ich, ja das will ich, (ich |wir )(möchten|möchte|wollen)
            das, (buch|buche|reservier|reserviere|kauf|kaufe|bestell|bestelle) (es|ihn|sie|das|den),
            (buchen|reservieren|kaufen|bestellen|überweisen) sie (es|ihn|sie|das|den), (ich nehme|wir nehmen)
            (es|ihn|sie|das|den), ich bitte darum, (sie dürfen|du darfst), alles (gut|bestens|richtig|korrekt|in
            ordnung), das hört sich gut an, das klingt etwa richtig, tun sie es, tu es"""
    ),
    unfinished=phrases("ein, eine, einen, einem, einer, und, oder, für, um, von, mit, weil, meine, im, am"),
    goes=phrases(
        """los, leg los, legen sie los, los geht es, los gehts, nur zu, mach das, machen sie das, mach es, machen sie
            es, machen sie, mach, mach nur, machen sie nur, tu das, tun sie das, tun sie es, fahren sie fort, weiter,
            weitermachen, bestätigt, bestätige, ich bestätige, ich bestätige (das|es), bestätigen, bestätigen sie,
            einverstanden, ich bin einverstanden, bin einverstanden, damit einverstanden, genehmigt, genehmigen, ich
            genehmige, freigegeben, angenommen, akzeptiert, ich akzeptiere, ich stimme zu, stimme zu, zugestimmt,
            bitte machen, machen wir, machen wir so, so machen wir es, so machen wir das, abgemacht, ausführen, ich
            bin dafür, versuchen sie es, versuch es"""
    ),
    agree=phrases(
        """sehr gut, prima, super, toll, klasse, perfekt, ausgezeichnet, hervorragend, wunderbar, großartig,
            fantastisch, spitze, bestens, ideal, sehr schön, fein, cool, genial, top, passt, das passt, passt so,
            passt mir, passt gut, passt perfekt, (das |es |)geht (so |)klar, das geht, geht klar, stimmt, das stimmt,
            stimmt so, stimmt genau, richtig, korrekt, genau, genau so, genau das, exakt, so ist es, genau richtig, in
            ordnung, ist in ordnung, das ist in ordnung, alles klar, alles in ordnung, alles richtig, alles korrekt,
            alles gut, klingt gut, hört sich gut an, klingt super, das klingt gut, recht, mir recht, ist mir recht,
            das wäre (gut|schön|super|toll|prima|perfekt|nett), das ist es, das ist richtig, das will ich, das möchte
            ich, das hätte ich gerne, so soll es sein, gefällt mir, zufrieden, abgemacht, deal, gute idee, was ich
            (will|möchte|wollte), das nehme ich, nehme ich, ich nehme (das|es|ihn|sie)"""
    ),
    acknowledges=phrases(
        """okay, ok, okey, oke, alles klar, verstanden, gut okay, roger, gut, na gut, schön und gut"""
    ),
    closings=phrases(
        """das ist alles, das wars, das war es, das war alles, das wäre alles, mehr brauche ich nicht, mehr nicht,
            sonst nichts, nichts weiter, tschüss, auf wiederhören, auf wiedersehen, ciao, schönen tag, schönen tag
            noch, ich bin fertig"""
    ),
    fillers=phrases(
        """äh, ähm, öhm, hm, hmm, mhm, aha, ach, ach so, oh, na, nun, also, tja, so, bitte, bitte schön, bitteschön,
            danke, danke schön, dankeschön, vielen dank, danke sehr, herzlichen dank, besten dank, hallo, guten tag,
            guten morgen, guten abend, sofort, jetzt, gleich jetzt, hier, dann, da, mal, doch, schon, halt mal, eben,
            auch, einfach, wirklich, sehr, ganz, echt, ehrlich, übrigens, für mich, für uns, mir, uns, wenn möglich,
            wenn es geht, wenn sie möchten, wenn du möchtest, wenn sie wollen, keine eile, keine hektik,
            freundlicherweise, mein freund, schatz"""
    ),
    tells=phrases(
        """sag mir, sagen sie mir, sagst du mir, können sie mir sagen, kannst du mir sagen, könnten sie mir sagen,
            ich (möchte|will|würde gerne|muss) wissen, möchte ich wissen, ich wüsste gern, ich wüsste gerne, wissen
            sie, weißt du, verraten sie mir, ich frage mich, nennen sie mir, nenn mir, haben sie, hast du, zeigen sie
            mir, zeig mir"""
    ),
    asks=phrases(
        """wen, wem, wessen, wann, wieso, weshalb, warum, welche, welcher, welches, welchen, welchem, wie viel,
            wieviel, wie viele, wie lange, wie spät, wozu, womit, wofür, was kostet, was
            (ist|sind|passiert|macht|für|bedeutet|heißt|genau|wird|wäre), wo
            (ist|liegt|befindet|sind|findet|muss|kann), wie
            (ist|sind|lautet|heißt|hoch|teuer|weit|komme|kommt|funktioniert|wird|groß|alt|war), wer
            (ist|sind|singt|spielt), wohin geht, wohin fährt, woher kommt"""
    ),
    inversions=phrases(
        """ist das, ist es, ist der, ist die, ist dort, ist da, sind die, sind das, sind sie, gibt es, gibts, hat
            das, hat der, hat die, haben die, kann ich, kann man, können wir, darf ich, soll ich, sollen wir, muss
            ich, wird das, wird es, werden die, geht das, kostet das, bin ich, liegt das, liegt es"""
    ),
    requests=phrases("kannst, können, könnten, könntest, würden, würdest, bitte, kann"),
    fetches=phrases(
        """gib, geben, gebt, brauche, bräuchte, möchte, hätte, sag, sagen, nennen, nenn, schick, schicken, zeig,
            zeigen, wissen, haben"""
    ),
    facts=phrases(
        """adresse, anschrift, telefonnummer, nummer, telefon, preis, preise, kosten, gebühr, gebühren, bewertung,
            bewertungen, ort, lage, dauer, öffnungszeiten, webseite, namen, genre, entfernung, wetter, haltestelle,
            gesamtpreis, gesamtkosten"""
    ),
    kinds={
        "day": phrases(
            """montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonnabend, sonntag, montags, januar,
                februar, märz, april, mai, juni, juli, august, september, oktober, november, dezember, heute, morgen,
                übermorgen, gestern, wochenende, nächste woche, diese woche, weihnachten, ostern, heute abend, morgen
                abend, morgen früh"""
        ),
        "time": phrases(
            """mittag, mittags, mitternacht, vormittag, vormittags, nachmittag, nachmittags, abend, abends, früh,
                nacht, nachts, halb, viertel, viertel nach, viertel vor, früher, am morgen, am abend, in der früh"""
        ),
        "number": phrases(
            """hälfte, dutzend, paar, ein paar, mehrere, doppelt, einzeln, hundert, tausend, million, allein, alleine"""
        ),
        "device": phrases(
            """fernseher, tv, küche, schlafzimmer, wohnzimmer, esszimmer, bad, badezimmer, kinderzimmer, garage,
                keller, terrasse, lautsprecher, kopfhörer, laptop, tablet, gerät, anlage"""
        ),
        "name": phrases("an mich, an uns, an ihn, an sie, an ihm"),
        "extra": phrases(
            """untertitel, untertiteln, economy, business class, erste klasse, zweite klasse, premium, luxus,
                standard, privat, geteilt, drinnen, draußen, fensterplatz, gangplatz, vegetarisch, vegan, einfache
                fahrt, hin und zurück, raucher, nichtraucher, zum mitnehmen"""
        ),
    },
    things=phrases(
        """film, filme, lied, song, musik, ticket, tickets, karte, karten, fahrkarte, platz, plätze, tisch, tische,
            reservierung, buchung, termin, zimmer, hotel, haus, wohnung, auto, wagen, taxi, fahrt, bus, flug, zug,
            veranstaltung, konzert, spiel, restaurant, bestellung, zahlung, überweisung, kauf, besuch, reise,
            aufenthalt, treffen, besprechung, anruf"""
    ),
    deeds=phrases(
        """buchen, buche, reservieren, reserviere, kaufen, kaufe, bestellen, bestelle, spielen, spiele, spiel ab,
            abspielen, mieten, miete, nehmen, nimm, starten, starte, anfangen, überweisen, überweise, senden, sende,
            schicken, schicke, bezahlen, bezahle, zahlen, anrufen, vereinbaren, eintragen"""
    ),
    read_backs=phrases(
        """bestätigen, bestätige, bestätigung, richtig, korrekt, stimmt, details, angaben, prüfen, überprüfen"""
    ),
    units=phrases(
        """person, personen, leute, gäste, erwachsene, kinder, tag, tage, tagen, nacht nächte, nächte, nächten,
            woche, wochen, monat, monate, monaten, jahr, jahre, stunde, stunden, minute, minuten, euro, euros, dollar,
            cent, prozent, uhr"""
    ),
    clock=phrases("uhr, h"),
    plain=phrases(
        """ich, du, er, es, wir, ihr, sie, ihnen, ihn, mich, dich, sich, mein, meine, meinen, meiner, dein, deine,
            ihre, ihren, unser, unsere, der, die, das, den, dem, des, dies, diese, dieser, dieses, diesen, ein, eine,
            einen, einem, einer, eines, und, zu, zum, zur, für, in, im, an, am, auf, um, mit, von, vom, bei, beim,
            aus, als, wie gesagt, dass, so, dazu, damit, darauf, daran, davon, ist, sind, war, wäre, wären, sein, bin,
            bist, wird, werden, würde, würden, habe, hat, haben, hätte, hätten, hatte, kann, kannst, können, könnte,
            könnten, könntest, soll, sollen, sollte, sollten, muss, müssen, darf, dürfen, will, wollen, wollte,
            möchte, möchten, brauche, brauchen, mag, machen, gemacht, getan, lass, lassen, lasst, gehen, geht, klingt,
            hört, sieht aus, scheint, finde, finde ich, ich finde, froh, bereit, wunsch, gewünscht, wie gewünscht, wie
            besprochen, die angaben, die details, angaben, details, sind alle, alle angaben, alles, genau das gleiche,
            denn, ja auch, bitte auch, weil, da"""
    ),
    pointers=phrases("das, dieser, diese, dieses, diesen, den, dem, die, der"),
    halted=phrases("es, das, dies, alles, bitte, jetzt, sofort, danke, ganz, mal, damit"),
    without=phrases("ohne"),
    spans=phrases("bis, nach, vor, ab, von"),
    binders=phrases("von, vom, nach, zu, zum, zur, um, für, am, an, in, im, auf, bei, ab, bis, mit, aus, vor"),
    opposites=phrases("von (nach|bis), ab bis, vor nach"),
    time_leads=phrases("um, gegen, ab, halb"),
    articles=phrases(
        """der, die, das, den, dem, des, ein, eine, einen, einem, einer, mein, meine, meinen, meinem, meiner, ihr,
            ihre, ihren, ihrem"""
    ),
    ones=phrases("ein, eine, einen, einem, einer"),
    months=phrases("Januar, Februar, März, April, Mai, Juni, Juli, August, September, Oktober, November, Dezember"),
    synonyms=phrases(
        """buchen buche buchung reservieren reserviere reservierung bestellen bestelle kaufen kaufe nehmen nehme
            termin vereinbaren, ticket tickets karte karten fahrkarte platz, film movie, lied song musik titel,
            spielen spiele abspielen starten starte hören schauen ansehen, überweisen überweise senden sende schicken
            schicke zahlen zahle überweisung, zimmer hotel unterkunft, auto wagen mietwagen taxi, abend abends pm"""
    ),
    rivals=(phrases("bus, zug bahn, flug flieger, taxi"),),
    signs={"$": "dollar", "€": "euro", "£": "pfund", "%": "prozent"},
    endings=phrases("ungen, ung, ens, en, em, er, es, st, e, n, s, t"),
    number_joints=phrases("und, komma"),
    ordinal_marks=phrases("te, ten, ter, ste, sten"),
    repeats={"doppel": 2, "zweimal": 2, "dreimal": 3},
    minus=phrases("minus"),
    halves=phrases("einhalb, ein halb, und ein halb, und eine halbe"),
    placers=phrases("nummer, option, möglichkeit, punkt"),
    last=phrases("letzte, letzter, letztes, letzten, das letzte, die letzte, der letzte, den letzten"),
    both=phrases("beide, beides, alle beide, alle zwei, die beiden"),
    every=phrases("alle, alles, alle davon, alle drei, alle vier, sämtliche, jede, jedes, jeden"),
    none=phrases(
        """keine, keins, keines, keine davon, keins davon, keines davon, keiner, keinen, keinen davon, keine von
            beiden, keins von beiden, nichts davon, nichts, weder noch"""
    ),
    apart_from=phrases("außer, bis auf, nicht, ohne, kein, keine, keinen, abgesehen von, ausgenommen, alles außer"),
    corrections=phrases(
        """nein, nein doch, sorry, ich meine, ich meinte, eigentlich, doch lieber, sondern, quatsch, entschuldigung,
            moment, stattdessen, korrektur, nee"""
    ),
    joins=phrases("und, sowie, plus, außerdem, auch"),
    either=phrases("oder, entweder, beziehungsweise"),
    leave_it=phrases(
        """egal, ist mir egal, ganz egal, irgendein, irgendeine, irgendeinen, irgendwas, such dir was aus, suchen sie
            aus, entscheiden sie, entscheide du, ihre wahl, deine wahl, wie sie möchten, wie du möchtest, was am
            günstigsten ist, das günstigste, das billigste, was auch immer, spielt keine rolle, keine präferenz"""
    ),
    leads=phrases(
        """kannst du, können sie, könnten sie, könntest du, würden sie, ich möchte, ich will, ich würde gern, ich
            würde gerne, darf ich, kann ich, ich hätte gern, ich brauche"""
    ),
    commands={
        "repeat": phrases(
            """wiederholen, wiederholen sie, wiederhole, wiederhole das, das wiederholen, bitte wiederholen,
                wiederholen sie das, wiederholen sie die frage, noch einmal, nochmal, noch mal, wie bitte, was, was
                haben sie gesagt, was hast du gesagt, was war die frage, wie war die frage, nicht verstanden, ich habe
                (sie |das |dich |)nicht (verstanden|gehört), das habe ich nicht verstanden, sagen sie das noch einmal,
                sag das nochmal, hä"""
        ),
        "wait": phrases(
            """warte, warten, warten sie, wart mal, warte mal, warten sie mal, warten sie kurz, warte kurz, moment,
                moment mal, einen moment, einen augenblick, augenblick, eine sekunde, sekunde, kurz warten, eine
                minute, halt, lass mich überlegen, lassen sie mich überlegen, ich muss überlegen"""
        ),
        "options": phrases(
            """optionen, die optionen, welche optionen gibt es, was sind die optionen, was sind meine optionen,
                welche optionen habe ich, welche möglichkeiten gibt es, welche möglichkeiten habe ich, was kann ich
                sagen, was kann ich wählen, was gibt es, was steht zur auswahl, hilfe, welche gibt es"""
        ),
        "operator": phrases(
            """mitarbeiter, einen mitarbeiter, mitarbeiterin, ein mensch, einen menschen, mensch, berater, einen
                berater, kundendienst, kundenservice, mit (einem mitarbeiter|einem menschen|jemandem|einem
                berater|einer person) (sprechen|reden), verbinden sie mich, verbinde mich, verbinden sie mich mit
                einem mitarbeiter, zentrale, vermittlung"""
        ),
        "never_mind": phrases(
            """vergiss es, vergessen sie es, schon gut, egal, hat sich erledigt, das hat sich erledigt, frage
                überspringen, lassen wir das"""
        ),
    },
    prompts={
        "go_ahead": "Soll ich das so machen?",
        "no_input": "Ich habe Sie nicht gehört.",
        "no_match": "Das habe ich nicht verstanden.",
        "say_yes_or_no": "Sagen Sie ja oder nein, bitte.",
        "confirm_keys": "Oder drücken Sie {yes} für ja und {no} für nein, bitte.",
        "option": "{number}: {label}.",
        "choose": "Sagen Sie mir, was davon, bitte.",
        "choose_several": "Sagen Sie mir, was davon, gerne auch mehrere, bitte.",
        "say_option": "Sagen Sie, was davon, oder die Nummer dazu, bitte.",
        "choice_keys": "Oder drücken Sie die Nummer auf der Tastatur, bitte.",
        "several_keys": "Oder drücken Sie die Nummern und dann die Rautetaste, bitte.",
        "say_number": "Sagen Sie nur die Zahl, bitte.",
        "say_digits": "Sagen Sie die {count} Ziffern, Ziffer für Ziffer, bitte.",
        "number_keys": "Oder tippen Sie sie ein und drücken Sie die Rautetaste, bitte.",
        "digits_keys": "Oder tippen Sie sie auf der Tastatur, bitte.",
        "keys_only": "Sagen Sie es nicht laut: Tippen Sie es auf der Tastatur, bitte.",
        "say_text": "Sagen Sie es mit Ihren Worten, bitte.",
        "at_least": "Mindestens {minimum} muss es sein, bitte.",
        "at_most": "Höchstens {maximum} darf es sein, bitte.",
        "between_bounds": "Es muss von {minimum} bis {maximum} sein, bitte.",
        "which": "{labels}: sagen Sie mir, was davon, bitte.",
        "read_back": "Ich habe gehört: {value}.",
        "take_it": "Soll ich das so übernehmen?",
        "second_yes": "Zur Sicherheit noch einmal: soll ich das wirklich ausführen lassen?",
        "tail": "Was sagen Sie?",
        "item": "{name}: {value}.",
        "true": "ja",
        "false": "nein",
        "nothing": "nichts",
        "and": "{first} und {last}",
        "date": "{day}. {month}",
    },
)
