"""Dutch."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

DUTCH = LanguagePack(
    code="nl",
    decimal=",",
    harmless=phrases(
        """geen probleem, geen enkel probleem, helemaal geen probleem, geen punt, waarom niet, ja waarom niet,
            tuurlijk waarom niet, ik heb er niets op tegen, ik heb er niks op tegen, niets op tegen, niks op tegen,
            daar heb ik niets op tegen, geen bezwaar, ik heb geen bezwaar, geen enkel bezwaar, (het |dat |)maakt mij
            niet uit doe maar, ik vind het niet erg, vind ik niet erg, dat is niet erg, geen twijfel, zonder twijfel,
            zonder meer, ongetwijfeld, geen wijzigingen, niets te veranderen, niks mis mee, niets mis mee, geen zorgen
            doe maar"""
    ),
    unsure=phrases(
        """ja of nee, ja en nee, (dat |)weet ik niet, ik weet het niet, weet niet, geen idee, ik heb geen idee, ik
            ben niet zeker, ik weet het niet zeker, niet zeker, onzeker, misschien, wellicht, mogelijk,
            waarschijnlijk, eventueel, dat hangt ervan af, hangt ervan af, ligt eraan, dat ligt eraan, ik denk het, ik
            denk van wel, denk het, denk ik, ik geloof het, ik geloof van wel, we zullen zien, even kijken, ik moet
            erover nadenken, daar moet ik over nadenken, ik denk er nog over na, laat me nadenken, laat mij nadenken,
            nauwelijks, wie weet, zeg ja, zegt u ja, een ja, mwah"""
    ),
    no=phrases(
        """nee, neen, neu, nee hoor, nee bedankt, nee dank u, nee dank je, nee nee, absoluut niet, zeker niet,
            helemaal niet, beslist niet, in geen geval, geen sprake van, nooit, nooit van zijn leven, liever niet,
            beter niet, beter van niet, maar niet, nu niet, niet nu, nog niet, nu nog niet, vandaag niet, niet
            vandaag, op dit moment niet, momenteel niet, voorlopig niet, niet nodig, dat is niet nodig, dat hoeft
            niet, hoeft niet, het hoeft niet, laat maar, laat maar zitten, laat zitten, vergeet het, vergeet het maar,
            geen interesse, niet geïnteresseerd, ik wil (dat |het |)(niet|geen), dat wil ik niet, wil ik niet, ik hoef
            (het |dat |)(niet|geen), ik denk het niet, ik denk van niet, ik geloof van niet, dat klopt niet, klopt
            niet, niet goed, niet juist, niet correct, dat is (fout|verkeerd|onjuist|niet juist|niet goed), fout,
            verkeerd, onjuist, niet akkoord, ik ga niet akkoord, ik ben het er niet mee eens, niet mee eens,
            afgewezen, ik wijs het af, geweigerd, ik weiger, weigeren, afwijzen, doe het niet, doe dat niet, niet
            doen, dat niet, misschien later, later misschien, een andere keer, misschien een andere keer, volgende
            keer misschien, natuurlijk niet, uiteraard niet, hou op, houd op, negatief, ik pas, ik sla over"""
    ),
    forbids=phrases("niet, nooit, alsjeblieft niet, alstublieft niet"),
    holds=phrases(
        """wacht, wacht even, wachten, wacht eens, moment, een moment, momentje, een momentje, ogenblik, een
            ogenblik, ogenblikje, seconde, een seconde, minuutje, even geduld, niet zo snel, rustig, later, straks,
            daarna, binnenkort, ooit, volgende keer, een andere keer, pauze"""
    ),
    changes=phrases(
        """maar, echter, toch liever, alhoewel, hoewel, behalve, uitgezonderd, op na, in plaats van, in plaats
            daarvan, liever, eerder, eigenlijk, juist niet, verander, veranderen, wijzig, wijzigen, wijziging,
            aanpassen, pas aan, correctie, corrigeer, corrigeren, ander, andere, anders, een ander, een andere,
            elders, verschillend, ik bedoel, ik bedoelde, bedoelde, vergissing, ik heb me vergist, zou moeten zijn,
            moet zijn, sorry, pardon, oeps, helaas, bijna, deels, gedeeltelijk, te
            (veel|duur|laat|vroeg|ver|lang|groot|klein|hard|weinig), omgekeerd, andersom, eerst, ondertussen, bij
            nader inzien, achteraf, probleem, jammer, toch niet, niettemin, al is"""
    ),
    conditions=phrases(
        """als, indien, mits, tenzij, op voorwaarde dat, zolang, alleen als, enkel als, of, zodra, voordat, totdat,
            tot, na, meer, minder, minstens, hoogstens, minimaal, maximaal, alleen, slechts, wanneer"""
    ),
    negations=phrases(
        """niet, geen, niets, niks, niemand, nergens, nooit, noch, slecht, slechte, erger, vreselijk, onmogelijk,
            tegen, haat, verbied, verboden"""
    ),
    halts=phrases(
        """stop, stoppen, stopt, annuleer, annuleren, annulering, verwijder, verwijderen, wis, wissen, beëindig,
            beëindigen, sluit, sluiten, afbreken, breek af, kappen, intrekken, afzeggen, zeg af"""
    ),
    alters=phrases(
        """vervang, vervangen, voeg toe, toevoegen, voeg, haal weg, weghalen, verplaats, verplaatsen, verzet,
            verzetten, wissel, wisselen, ruil, ruilen, schrap, schrappen, bewerk"""
    ),
    yes=phrases(
        """ja, jazeker, jawel, jep, yep, yes, ja hoor, ja graag, ja natuurlijk, ja zeker, ja ja, jaja, zeker, zeker
            wel, zeker weten, natuurlijk, tuurlijk, uiteraard, vanzelfsprekend, graag, heel graag, absoluut, beslist,
            allicht, wis en zeker, met plezier, met alle plezier, reken maar, ja alstublieft, ja alsjeblieft, ja maar
            natuurlijk"""
    ),
    clauses=phrases(
        """zo is het, dat is zo, dat wil ik, ik wil (het|dat), dat wil ik graag, (boek|reserveer|koop|bestel)
            (het|hem|die|dat|maar), (ik neem|we nemen|wij nemen) (het|hem|die|dat), dat mag, u mag, je mag, alles
            (klopt|goed|in orde), alles is (goed|juist|in orde)"""
    ),
    unfinished=phrases("een, en, of, om, van, met, bij, omdat, mijn, onze"),
    goes=phrases(
        """doe maar, doe dat maar, doe het maar, doe dat, doe het, ga je gang, gaat uw gang, ga uw gang, ga door,
            gaat u door, ga verder, gaat u verder, ga maar, toe maar, kom maar op, start maar, ik bevestig, ik
            bevestig (het|dat), bevestigd, bevestig, bevestigen, akkoord, ik ga akkoord, ga akkoord, ik ben akkoord,
            goedgekeurd, ik keur het goed, keur goed, geaccepteerd, ik accepteer, ik accepteer (het|dat), ik stem toe,
            ik ben het ermee eens, mee eens, eens, afgesproken, regel het, regel het maar, regel dat maar, laten we
            het doen, laten we dat doen, zo doen we het, uitvoeren, voer uit, probeer het, probeer maar, ik ben voor"""
    ),
    agree=phrases(
        """heel goed, zeer goed, prima, dat is prima, perfect, uitstekend, fantastisch, geweldig, mooi, fijn, super,
            top, klasse, ideaal, leuk, cool, schitterend, uitmuntend, in orde, dat is in orde, is in orde, is goed,
            dat is goed, dat is prima zo, goed zo, klopt, dat klopt, klopt helemaal, dat klopt helemaal, het klopt,
            alles klopt, juist, dat is juist, correct, dat is correct, precies, exact, inderdaad, zo is het, dat is
            het, helemaal goed, helemaal juist, klinkt goed, dat klinkt goed, klinkt (prima|perfect|geweldig|super),
            dat past, past, past me, komt goed uit, dat komt goed uit, lijkt me (goed|prima|perfect|leuk|uitstekend),
            lijkt mij (goed|prima|perfect), dat zou (fijn|mooi|goed|geweldig|perfect|prima|leuk) zijn, dat wil ik, dat
            is wat ik wil, wat ik (wil|wilde), bevalt me, goed idee, goede keuze, u hebt gelijk, je hebt gelijk, dat
            neem ik, ik neem (het|die|deze|hem), tevreden, dat is waar, wat mij betreft, van mij mag het, zo mag het,
            dat werkt, werkt voor mij"""
    ),
    acknowledges=phrases("oké, oke, okee, ok, okay, begrepen, ik begrijp het, duidelijk, snap ik, aha, goed"),
    closings=phrases(
        """dat is alles, dat was alles, dat was het, dat is het wel, verder niets, verder niks, niets anders, tot
            ziens, doei, fijne dag, fijne dag nog, fijne avond, ik ben klaar"""
    ),
    fillers=phrases(
        """eh, uh, uhm, ehm, hm, hmm, mm, ah, oh, ach, nou, nou ja, dus, tja, zo, zeg, kijk, hoor, alsjeblieft,
            alstublieft, dank je, dank u, dank je wel, dank u wel, dankjewel, dankuwel, bedankt, hartelijk dank, heel
            erg bedankt, hallo, hoi, goedemorgen, goedemiddag, goedenavond, goedendag, meneer, mevrouw, nu, meteen,
            direct, onmiddellijk, hier, daar, dan, even, maar eens, eens even, ook, echt, heel, zeer, erg, gewoon,
            eerlijk gezegd, voor mij, voor ons, mij, ons, bij mij, met mij, indien mogelijk, als het kan, als u wilt,
            als je wilt, geen haast, trouwens, vriend, wel"""
    ),
    tells=phrases(
        """vertel me, vertelt u me, zeg me, zegt u me, kunt u me vertellen, kun je me vertellen, kunt u mij
            vertellen, kunt u zeggen, kun je zeggen, ik (wil|zou) (graag |)(weten|willen weten), ik wil graag weten,
            ik vraag me af, weet u, weet je, geef me, geeft u mij, heeft u, hebt u, heb je, hebben jullie, laat me
            zien, mag ik weten, mag ik het, mag ik de"""
    ),
    asks=phrases(
        """wie, wiens, waarheen, waarvandaan, wanneer is, wanneer gaat, hoe, hoeveel, hoe lang, hoelang, hoe laat,
            waarom, welke, welk, waarvoor, waarmee, wat kost, wat (is|zijn|gebeurt|voor|houdt|betekent|wordt), waar
            (is|ligt|zijn|moet|vind|kan)"""
    ),
    inversions=phrases(
        """is het, is dat, is de, is er, zijn er, zijn de, zijn het, kan ik, kan het, kunnen we, mag ik, moet ik,
            moeten we, zal ik, zullen we, heeft het, heeft de, gaat het, kost het, kost dat, ligt het, wordt het, ben
            ik, klopt het dat"""
    ),
    requests=phrases("kunt, kun, kan, zou, zoudt, wilt, wil"),
    fetches=phrases(
        """geef, geeft, geven, nodig, wil, zou, stuur, vertel, zeg, zeggen, weten, hebben, krijgen, noem"""
    ),
    facts=phrases(
        """adres, telefoonnummer, nummer, telefoon, prijs, kosten, tarief, beoordeling, beoordelingen, locatie,
            plaats, duur, openingstijden, genre, naam, website, afstand, weer, halte, totaal, totaalprijs"""
    ),
    kinds={
        "day": phrases(
            """maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, januari, februari, maart, april,
                mei, juni, juli, augustus, september, oktober, november, december, vandaag, morgen, overmorgen,
                gisteren, vanavond, vannacht, weekend, volgende week, deze week, kerst, pasen, morgenochtend,
                morgenavond, morgenmiddag"""
        ),
        "time": phrases(
            """middag, tussen de middag, middernacht, ochtend, s ochtends, sochtends, s middags, smiddags, namiddag,
                avond, s avonds, savonds, nacht, s nachts, half, kwart, kwart over, kwart voor, vroeger, vroeg"""
        ),
        "number": phrases(
            """helft, dozijn, paar, een paar, meerdere, dubbel, enkele, honderd, duizend, miljoen, alleen ik"""
        ),
        "device": phrases(
            """tv, televisie, keuken, slaapkamer, woonkamer, eetkamer, badkamer, garage, kelder, terras, luidspreker,
                luidsprekers, speaker, koptelefoon, laptop, tablet, apparaat"""
        ),
        "name": phrases("aan mij, aan ons, aan hem, aan haar, aan hen, naar mij, naar hem, naar haar"),
        "extra": phrases(
            """ondertiteling, ondertitels, economy, business class, eerste klas, tweede klas, premium, luxe,
                standaard, privé, gedeeld, binnen, buiten, raam, raamplaats, gangpad, vegetarisch, veganistisch,
                enkele reis, retour, roken, niet roken, afhalen"""
        ),
    },
    things=phrases(
        """film, liedje, nummer, muziek, ticket, tickets, kaartje, kaartjes, plaats, tafel, tafels, reservering,
            boeking, afspraak, kamer, hotel, huis, appartement, auto, taxi, rit, bus, vlucht, trein, evenement,
            concert, wedstrijd, restaurant, bestelling, betaling, overschrijving, overboeking, aankoop, bezoek, reis,
            verblijf, vergadering, gesprek"""
    ),
    deeds=phrases(
        """boeken, boek, reserveren, reserveer, kopen, koop, bestellen, bestel, spelen, speel, afspelen, huren, huur,
            nemen, neem, starten, start, sturen, stuur, verzenden, overmaken, maak over, betalen, betaal, bellen, bel,
            plannen, plan, inplannen"""
    ),
    read_backs=phrases(
        """bevestigen, bevestig, bevestigt, bevestiging, klopt, correct, juist, details, gegevens, controleren,
            controleer"""
    ),
    units=phrases(
        """persoon, personen, mensen, volwassenen, kinderen, dag, dagen, nachten, week, weken, maand, maanden, jaar,
            uur, minuut, minuten, euro, euros, dollar, dollars, cent, procent, keer"""
    ),
    clock=phrases("uur, u, h"),
    plain=phrases(
        """ik, jij, je, u, hij, zij, ze, het, wij, we, jullie, hem, haar, hen, me, mijn, jouw, uw, onze, de, een,
            dit, dat, deze, die, en, van, voor, in, op, aan, met, bij, naar, te, om, uit, door, zoals, omdat, want,
            dat dan, er, ermee, daarmee, daarvoor, daaraan, ervoor, erop, is, zijn, ben, bent, was, waren, wordt,
            worden, zou, zouden, heb, hebt, heeft, hebben, had, kan, kunt, kun, kunnen, mag, moet, moeten, zal,
            zullen, wil, wilt, willen, wilde, wou, nodig, graag hebben, doe, doen, doet, gedaan, maak, laat, laten,
            ga, gaat, gaan, klinkt, lijkt, vind, vind ik, ik vind, blij, klaar, bereid, wens, alles, alle gegevens, de
            gegevens, de details, gegevens, details, zoals besproken, zoals afgesproken, zoals gevraagd, precies zo,
            hetzelfde, zo ook"""
    ),
    pointers=phrases("dit, dat, deze, die"),
    halted=phrases("het, dat, dit, alles, nu, direct, meteen, onmiddellijk, bedankt, maar, ermee, daarmee"),
    without=phrases("zonder"),
    spans=phrases("tot, na, vanaf, voor"),
    binders=phrases("van, naar, voor, om, op, in, aan, bij, met, uit, tot, vanaf, na"),
    opposites=phrases("van (naar|tot), vanaf tot, voor na"),
    time_leads=phrases("om, rond, tegen, half"),
    articles=phrases("de, het, een, mijn, jouw, je, uw, onze"),
    ones=phrases("een"),
    months=phrases(
        """januari, februari, maart, april, mei, juni, juli, augustus, september, oktober, november, december"""
    ),
    synonyms=phrases(
        """boeken boek boeking reserveren reserveer reservering bestellen bestel kopen koop nemen neem afspraak
            plannen plan, ticket tickets kaartje kaartjes plaats, film video, liedje nummer muziek, spelen speel
            afspelen starten start luisteren kijken, sturen stuur verzenden overmaken betalen overschrijving, kamer
            hotel verblijf, auto taxi"""
    ),
    rivals=(phrases("bus, trein, vlucht vliegtuig, taxi"),),
    signs={"$": "dollar", "€": "euro", "£": "pond", "%": "procent"},
    endings=phrases("ingen, ing, eren, eer, en, er, jes, je, s, t, e, n"),
    number_joints=phrases("en, komma"),
    ordinal_marks=phrases("e, de, ste"),
    repeats={"dubbel": 2, "dubbele": 2, "driemaal": 3},
    minus=phrases("min, minus"),
    halves=phrases("en een half, en een halve, eneenhalf"),
    placers=phrases("nummer, optie, keuze"),
    last=phrases("laatste, de laatste, het laatste"),
    both=phrases("beide, allebei, alle twee, de beide"),
    every=phrases("alle, alles, allemaal, alle drie, alle vier, elk, ieder, elke, iedere"),
    none=phrases(
        """geen, geen van allen, geen van alle, geen van beide, geen enkele, geen van deze, geen van die, niets,
            niks, niets daarvan"""
    ),
    apart_from=phrases("behalve, op na, niet, zonder, geen, uitgezonderd, alles behalve, maar niet"),
    corrections=phrases(
        """nee, sorry, ik bedoel, ik bedoelde, eigenlijk, toch liever, wacht, correctie, pardon, in plaats daarvan,
            neen"""
    ),
    joins=phrases("en, plus, ook, evenals, met, dan"),
    either=phrases("of, ofwel, hetzij"),
    leave_it=phrases(
        """maakt niet uit, het maakt niet uit, maakt mij niet uit, maakt me niet uit, om het even, eender welke, wat
            dan ook, welke dan ook, kies jij maar, kiest u maar, aan jou de keuze, aan u de keuze, zoals u wilt, zoals
            je wilt, het goedkoopste, de goedkoopste, wat het goedkoopst is, geen voorkeur, ik heb geen voorkeur,
            verras me, beslis jij maar"""
    ),
    leads=phrases(
        """kunt u, kun je, kan je, zou je, zou u, wilt u, wil je, ik wil, ik wil graag, ik zou graag, mag ik, kan ik,
            ik heb nodig"""
    ),
    commands={
        "repeat": phrases(
            """herhaal, herhaal dat, herhaal het, herhalen, dat herhalen, herhaal de vraag, de vraag herhalen, nog
                een keer, nog eens, opnieuw, wat zegt u, wat zei u, wat zei je, wat zeg je, wat was de vraag, wat,
                pardon, hoe bedoelt u, ik heb (het |u |je |)niet (gehoord|verstaan|begrepen), niet verstaan, zeg dat
                nog eens, hè"""
        ),
        "wait": phrases(
            """wacht, wacht even, wacht eens even, wacht eens, moment, een moment, momentje, een momentje, een
                ogenblik, ogenblikje, een seconde, even geduld, een minuutje, laat me nadenken, laat me even nadenken,
                even nadenken, even denken"""
        ),
        "options": phrases(
            """opties, de opties, wat zijn de opties, wat zijn mijn opties, welke opties zijn er, welke opties heb
                ik, welke keuzes heb ik, wat kan ik zeggen, wat kan ik kiezen, welke zijn er, wat is er, hulp, help"""
        ),
        "operator": phrases(
            """medewerker, een medewerker, medewerkster, een mens, mens, een persoon, een echt persoon, een echte
                persoon, iemand spreken, een medewerker spreken, met (iemand|een medewerker|een mens|een persoon)
                (praten|spreken), klantenservice, verbind me door, verbind mij door, doorverbinden, operator"""
        ),
        "never_mind": phrases(
            """laat maar, laat maar zitten, vergeet het, vergeet het maar, laat zitten, maakt niet meer uit, sla deze
                vraag over, sla de vraag over"""
        ),
    },
    prompts={
        "go_ahead": "Zal ik het zo doen?",
        "no_input": "Ik heb u niet gehoord.",
        "no_match": "Dat heb ik niet begrepen.",
        "say_yes_or_no": "Zeg ja of nee, alstublieft.",
        "confirm_keys": "Of druk op {yes} voor ja en op {no} voor nee, alstublieft.",
        "option": "{number}: {label}.",
        "choose": "Zeg me welke, alstublieft.",
        "choose_several": "Zeg me welke, één of meer, alstublieft.",
        "say_option": "Zeg welke, of het nummer ervan, alstublieft.",
        "choice_keys": "Of druk op het nummer ervan, alstublieft.",
        "several_keys": "Of druk op de nummers en daarna op het hekje, alstublieft.",
        "say_number": "Zeg alleen het getal, alstublieft.",
        "say_digits": "Zeg de {count} cijfers, cijfer voor cijfer, alstublieft.",
        "number_keys": "Of toets het in en druk op het hekje, alstublieft.",
        "digits_keys": "Of toets het in, alstublieft.",
        "keys_only": "Zeg het niet hardop: toets het in, alstublieft.",
        "say_text": "Zeg het in uw eigen woorden, alstublieft.",
        "at_least": "Het moet minstens {minimum} zijn, alstublieft.",
        "at_most": "Het mag hoogstens {maximum} zijn, alstublieft.",
        "between_bounds": "Het moet van {minimum} tot {maximum} zijn, alstublieft.",
        "which": "{labels}: zeg me welke, alstublieft.",
        "read_back": "Ik hoorde: {value}.",
        "take_it": "Zal ik het zo noteren?",
        "second_yes": "Voor de zekerheid nog een keer: zal ik het echt laten doen?",
        "tail": "Wat zegt u?",
        "item": "{name}: {value}.",
        "true": "ja",
        "false": "nee",
        "nothing": "niets",
        "and": "{first} en {last}",
        "date": "{day} {month}",
    },
)
